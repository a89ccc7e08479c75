/** The formats as their documentation has them, strictly: what they do not know is an error. */

type Schema = Record<string, unknown>;

const INTEGER = { type: "integer" };
const COUNT = { type: "integer", minimum: 0 };
const NUMBER = { type: "number" };
const STRING = { type: "string" };
const BOOLEAN = { type: "boolean" };

function list(items: Schema): Schema {
  return { type: "array", items };
}

function orNull(schema: Schema): Schema {
  return { anyOf: [schema, { type: "null" }] };
}

/** An object of just these properties; those whose names end in `?` can be left out. */
function object(properties: Record<string, Schema>): Schema {
  const names = Object.keys(properties);
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name.replace("?", ""), properties[name]])),
    required: names.filter((name) => !name.endsWith("?")),
    additionalProperties: false,
  };
}

/** An object of columns of one length. */
function table(columns: Record<string, Schema>): Schema {
  const lists = Object.entries(columns).map(([name, items]) => [name, list(items)]);
  return object({ ...Object.fromEntries(lists), length: COUNT });
}

const CALL_FRAME = object({
  functionName: STRING,
  scriptId: { type: "string", pattern: "^\\d+$" },
  url: STRING,
  lineNumber: { type: "integer", minimum: -1 },
  columnNumber: { type: "integer", minimum: -1 },
});

/** DevTools protocol, `Profiler.Profile`. */
export const CPUPROFILE = object({
  nodes: list(
    object({
      id: { type: "integer", minimum: 1 },
      callFrame: CALL_FRAME,
      hitCount: COUNT,
      "children?": list(INTEGER),
      "positionTicks?": list(object({ line: { type: "integer", minimum: 1 }, ticks: COUNT })),
    }),
  ),
  startTime: NUMBER,
  endTime: NUMBER,
  samples: list(INTEGER),
  timeDeltas: list({ type: "number", minimum: 0 }),
});

/** speedscope, src/lib/file-format-spec.ts. */
export const SPEEDSCOPE = object({
  $schema: { const: "https://www.speedscope.app/file-format-schema.json" },
  name: STRING,
  exporter: STRING,
  activeProfileIndex: COUNT,
  shared: object({
    frames: list(object({ name: STRING, "file?": STRING, "line?": INTEGER, "col?": INTEGER })),
  }),
  profiles: list(
    object({
      type: { const: "sampled" },
      name: STRING,
      unit: { enum: ["none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes"] },
      startValue: NUMBER,
      endValue: NUMBER,
      samples: list(list(COUNT)),
      weights: list(NUMBER),
    }),
  ),
});

const EVENT = { pid: INTEGER, tid: INTEGER, ts: NUMBER, cat: STRING };

/** "Trace Event Format", JSON object format, and the events of V8's CPU profiler. */
export const CHROME_TRACE = object({
  displayTimeUnit: { enum: ["ms", "ns"] },
  traceEvents: list({
    anyOf: [
      object({
        ...EVENT,
        ph: { const: "M" },
        name: { enum: ["process_name", "thread_name"] },
        args: object({ name: STRING }),
      }),
      object({
        ...EVENT,
        ph: { const: "X" },
        name: STRING,
        dur: NUMBER,
        args: object({ "thread?": STRING }),
      }),
      object({ ...EVENT, ph: { const: "I" }, s: { const: "t" }, name: STRING, args: object({ data: {} }) }),
      object({
        ...EVENT,
        ph: { const: "P" },
        name: { const: "Profile" },
        id: STRING,
        args: object({ data: object({ startTime: NUMBER }) }),
      }),
      object({
        ...EVENT,
        ph: { const: "P" },
        name: { const: "ProfileChunk" },
        id: STRING,
        args: object({
          data: object({
            cpuProfile: object({
              "nodes?": list(object({ id: INTEGER, "parent?": INTEGER, callFrame: CALL_FRAME })),
              samples: list(INTEGER),
            }),
            timeDeltas: list({ type: "number", minimum: 0 }),
            lines: list(COUNT),
          }),
        }),
      }),
    ],
  }),
  metadata: object({ source: STRING, "startTime?": STRING }),
  otherData: { type: "object", additionalProperties: { type: ["string", "number"] } },
});

/** Firefox Profiler, src/types/profile.ts, at version 61 of the processed format. */
export const GECKO = object({
  meta: object({
    interval: NUMBER,
    startTime: NUMBER,
    processType: INTEGER,
    product: STRING,
    importedFrom: STRING,
    arguments: STRING,
    categories: list(
      object({
        name: STRING,
        color: {
          enum: ["transparent", "purple", "green", "orange", "yellow", "lightblue", "blue", "brown"].concat([
            "magenta",
            "red",
            "lightred",
            "darkgrey",
            "grey",
          ]),
        },
        subcategories: { type: "array", items: STRING, minItems: 1 },
      }),
    ),
    stackwalk: { enum: [0, 1] },
    debug: BOOLEAN,
    version: INTEGER,
    preprocessedProfileVersion: { const: 61 },
    symbolicated: BOOLEAN,
    symbolicationNotSupported: BOOLEAN,
    sourceCodeIsNotOnSearchfox: BOOLEAN,
    markerSchema: list({}),
    sampleUnits: object({
      time: { const: "ms" },
      eventDelay: { const: "ms" },
      threadCPUDelta: { const: "ns" },
    }),
    extra: list(
      object({
        label: STRING,
        entries: list(object({ label: STRING, format: STRING, value: { type: ["string", "number"] } })),
      }),
    ),
    extensions: table({ baseURL: STRING, id: STRING, name: STRING }),
  }),
  libs: list(
    object({
      arch: STRING,
      name: STRING,
      path: STRING,
      debugName: STRING,
      debugPath: STRING,
      breakpadId: STRING,
      codeId: orNull(STRING),
    }),
  ),
  shared: object({
    funcTable: table({
      name: COUNT,
      isJS: BOOLEAN,
      relevantForJS: BOOLEAN,
      resource: { type: "integer", minimum: -1 },
      source: orNull(COUNT),
      lineNumber: orNull(INTEGER),
      columnNumber: orNull(INTEGER),
    }),
    resourceTable: table({ lib: orNull(COUNT), name: COUNT, host: orNull(COUNT), type: COUNT }),
    sources: table({
      id: orNull(STRING),
      filename: COUNT,
      startLine: INTEGER,
      startColumn: INTEGER,
      sourceMapURL: orNull(COUNT),
    }),
    nativeSymbols: table({ libIndex: COUNT, address: INTEGER, name: COUNT, functionSize: orNull(INTEGER) }),
    frameTable: table({
      address: { type: "integer", minimum: -1 },
      inlineDepth: COUNT,
      category: orNull(COUNT),
      subcategory: orNull(COUNT),
      func: COUNT,
      nativeSymbol: orNull(COUNT),
      innerWindowID: orNull(COUNT),
      line: orNull(INTEGER),
      column: orNull(INTEGER),
    }),
    stackTable: table({ frame: COUNT, prefix: orNull(COUNT) }),
    stringArray: list(STRING),
  }),
  threads: list(
    object({
      processType: STRING,
      processName: STRING,
      processStartupTime: NUMBER,
      processShutdownTime: orNull(NUMBER),
      registerTime: NUMBER,
      unregisterTime: orNull(NUMBER),
      pausedRanges: list({}),
      name: STRING,
      isMainThread: BOOLEAN,
      pid: STRING,
      tid: { type: ["integer", "string"] },
      markers: table({
        data: { type: "object" },
        name: COUNT,
        startTime: orNull(NUMBER),
        endTime: orNull(NUMBER),
        phase: COUNT,
        category: COUNT,
      }),
      samples: object({
        weight: orNull(list(COUNT)),
        weightType: { const: "samples" },
        stack: list(orNull(COUNT)),
        time: list(NUMBER),
        length: COUNT,
      }),
    }),
  ),
});
