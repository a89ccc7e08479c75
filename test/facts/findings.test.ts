import { describe, expect, it } from "vitest";
import { Analysis } from "../../src/facts/analysis.ts";
import { findings } from "../../src/facts/findings/findings.ts";
import { loadingTicks } from "../../src/facts/loading-ticks.ts";
import { TimelineBuilder } from "../../src/profile/timeline.ts";
import { VM_STATES, vmState } from "../../src/profile/vm-state.ts";
import { plainly } from "../../src/render/spoken.ts";
import { FIXTURE_NAMES, fixtureProfile, WHOLE } from "../helpers/fixtures.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

const times = (count: number, stack: string) => new Array<string>(count).fill(stack);
const MAIN = "js:·/srv/app.js:1:1@9";
const HTTP = "js:parserOnIncoming·node:_http_server:9:9";
const TIMER = "js:listOnTimeout·node:internal/timers:9:9";
const HANDLER = "js:handle·/srv/app.js:4:1@5";

/** What is found, with so many ticks of loading in the start-up. */
function findingsOf(profile: Analysis, startup: number) {
  return findings(profile, { loading: { ...loadingTicks(profile), startup }, deopts: [] });
}

/** What is found but the hottest function, which the ticks of tests can be at. */
function withoutOwnCode(profile: Analysis) {
  return findingsOf(profile, 0).filter(({ kind }) => kind !== "own-code" && kind !== "hot-code");
}

/** What is found in 100 ticks, of which so many have a stack: `kind file:line share: what; advice`. */
function found(stack: string, ticks = 50, ...others: string[]) {
  const rest = times(100 - ticks - others.length, "js:other·/srv/other.js:1:9");
  const profile = Analysis.of(profileFromStacks(...times(ticks, stack), ...others, ...rest));
  return withoutOwnCode(profile).map(({ kind, percent, place, what, advice }) => {
    const where = place === undefined ? "" : ` ${place.function.file}:${place.line}`;
    return `${kind}${where} ${percent}: ${[plainly(what, {}), advice].join("; ")}`;
  });
}

/** The findings of 100 ticks, of which some have these stacks. */
function raw(stacks: readonly string[]) {
  const rest = times(100 - stacks.length, "js:other·/srv/other.js:1:9");
  return withoutOwnCode(Analysis.of(profileFromStacks(...stacks, ...rest)));
}

describe("a regular expression that is tried from an index", () => {
  const advice = (made: string, before: string) => {
    const text = `const number = ${made};\nfunction next() {\n${before}\nreturn number.exec(text);\n}`;
    const profile = profileFromStacks(
      ...times(60, "js:next·/srv/app.js:2:1@4 builtin:RegExpPrototypeExec regexp:[0-9]x"),
      ...times(40, "js:other·/srv/other.js:1:9"),
    );
    const [one] = findingsOf(Analysis.of({ ...profile, sources: [{ file: "/srv/app.js", text }] }), 0);
    expect(one?.kind).toBe("regexp");
    return one?.advice;
  };

  it("looks on to the end of the text without the flag y", () => {
    expect(advice("/[0-9]x/g", "number.lastIndex = at;")).toBe(
      "with the flag y it looks at lastIndex alone, and not on to the end of the text",
    );
    expect(advice("/[0-9]x/gy", "number.lastIndex = at;")).toBeUndefined();
    expect(advice("/[0-9]x/i", "number.lastIndex = at;")).toBeUndefined();
    expect(advice("/[0-9]x/g", "if (number.lastIndex === 0) at++;")).toBeUndefined();
  });
});

describe("a loop with for…in", () => {
  const loop = (...callees: string[]) => callees.map((callee) => `js:sum·/srv/app.js:4:1@5 ${callee}`);
  const enumerate = "cpp:v8::internal::Runtime_ForInEnumerate(int)";
  const filter = "cpp:v8::internal::Runtime_ForInHasProperty(int)";

  it("has the list of its keys and the tests of each in one finding", () => {
    const plain = raw([...times(15, loop(enumerate)[0]!), ...times(10, loop("builtin:ForInFilter")[0]!)]);
    expect(plain.map(({ kind, percent }) => `${kind} ${percent}`)).toEqual(["keys 25"]);
    expect(plainly(plain[0]!.what, {})).toContain("a list of all properties");
  });

  it("tells a sparse array by the sort of its numbers", () => {
    const sort = "cpp:v8::internal::(anonymous·namespace)::SortIndices(v8::internal::Isolate*)";
    const [one] = raw([
      ...times(8, loop(`${enumerate} ${sort}`)[0]!),
      ...times(12, loop(enumerate)[0]!),
      ...times(10, loop(filter)[0]!),
    ]);
    expect([one?.kind, one?.percent, plainly(one!.what, {})]).toEqual([
      "keys",
      30,
      expect.stringContaining("numbers that are far apart"),
    ]);
  });
});

describe("one finding for one line", () => {
  const line = "js:run·/srv/app.js:4:1@5";
  const entries = `${line} js:getEntries·node:internal/perf:1:1`;
  const said = (...stacks: string[]) =>
    findingsOf(Analysis.of(profileFromStacks(...stacks)), 0).map(({ kind, percent }) => `${kind} ${percent}`);

  it("is what most of it is, and not a part of that", () => {
    expect(
      said(
        ...times(40, `${entries} cpp:copy`),
        ...times(24, `${entries} builtin:ArrayTimSort`),
        ...times(36, "js:other·/srv/other.js:1:9@2"),
      ),
    ).toEqual(["hot-code 64"]);
  });

  it("is the kind of work in a function whose lines do many things", () => {
    const at = (row: number, callee: string) => `js:run·/srv/app.js:4:1@${row} ${callee}`;
    expect(
      said(
        ...times(22, at(5, "builtin:ArrayPrototypeIncludes")),
        ...times(22, at(6, "builtin:MathSqrt")),
        ...times(21, at(7, "builtin:MathSqrt")),
        ...times(35, "js:other·/srv/other.js:1:9@2"),
      ),
    ).toEqual(["array-search 22"]);
  });

  it("has the line that calls it, if one of the caller is known", () => {
    const callers = (...from: string[]) =>
      findingsOf(
        Analysis.of(
          profileFromStacks(
            ...from.flatMap((caller, i) =>
              times(30 - 10 * i, `${caller} ${line} builtin:ArrayPrototypeIncludes`),
            ),
            ...times(50, "js:other·/srv/other.js:1:9@2"),
          ),
        ),
        0,
      ).map(({ caller }) => [caller?.line, caller?.isLineKnown]);
    expect(callers("js:sum·/srv/main.js:3:1", "js:sum·/srv/main.js:3:1@8")[0]).toEqual([8, true]);
    expect(callers("js:sum·/srv/main.js:3:1", "js:·/srv/main.js:1:1@8")[0]).toEqual([3, false]);
  });
});

describe("what stands out", () => {
  it("is a synchronous function of Node, and who waits for it", () => {
    const hash = "js:pbkdf2Sync·node:internal/crypto/pbkdf2:62:1 cpp:node::Run()";
    expect(found(`${HTTP} ${HANDLER} ${hash}`)).toEqual([
      "crypto-sync /srv/app.js:5 50: crypto.pbkdf2Sync blocks the event loop: no other request is served meanwhile; crypto.pbkdf2 uses the thread pool",
    ]);
    expect(found(`${TIMER} ${HANDLER} ${hash}`)[0]).toContain(
      "blocks the event loop: nothing else runs meanwhile",
    );
    expect(found(`${MAIN} ${HANDLER} ${hash}`)[0]).toContain("crypto.pbkdf2Sync in the script's main code; ");
    const old = "js:·/srv/app.js:1:11@9"; // As Node 4 to 8 wrap modules.
    expect(found(`${old} ${HANDLER} ${hash}`)[0]).toContain("crypto.pbkdf2Sync in the script's main code; ");
    // What comes back from an await has no request above it.
    expect(found(`${HANDLER} ${hash}`, 50, `${HTTP} ${HANDLER}`)[0]).toContain("no other request");
    expect(found(`${HTTP} ${HANDLER} ${hash}`, 9)).toEqual([]);
  });

  it("is named by the outermost synchronous function", () => {
    const read = "js:readFileSync·node:fs:1:2 js:tryReadSync·node:fs:3:2 cpp:read";
    expect(found(`${HTTP} ${HANDLER} ${read}`)[0]).toContain("fs.readFileSync blocks");
    const exec = "js:execSync·node:child_process:1:2 js:spawnSync·node:child_process:3:2 cpp:spawn";
    expect(found(`${HTTP} ${HANDLER} ${exec}`)[0]).toContain("else child_process.exec runs beside it");
    const gzip = "js:zlibBufferSync·node:zlib:1:2 js:processChunkSync·node:zlib:3:2 cpp:deflate";
    expect(found(`${HTTP} ${HANDLER} ${gzip}`)[0]).toContain("a synchronous function of zlib blocks");
  });

  it("is at the program's own line, also if a package called it", () => {
    const parse = "js:parse·/srv/node_modules/p/i.js:1:2@3 cpp:v8::internal::Builtin_JsonParse(int)";
    expect(found(`${HTTP} ${HANDLER} ${parse}`)).toEqual([
      "json /srv/app.js:5 50: JSON.parse blocks the event loop: no other request is served meanwhile; work on smaller values, or keep the result",
    ]);
    const [json] = raw(times(50, `${HTTP} ${HANDLER} ${parse}`));
    expect([json?.inPackage?.function.name, json?.inPackage?.line]).toEqual(["parse", 3]);
  });

  it("is no file that the module loader reads, and nothing that Node does for itself", () => {
    const loader = "js:Module._load·node:internal/modules/cjs/loader:1:2 js:readFileSync·node:fs:1:2";
    expect(found(`${MAIN} ${loader}`)).toEqual([]);
    expect(found("js:start·node:internal/main/run_main_module:1:2 js:readFileSync·node:fs:1:2")).toEqual([]);
    expect(found(`${MAIN} ${loader} ${HANDLER}`)).toEqual([]);
  });

  it("is a regular expression, with backtracking only if it can", () => {
    expect(found(`${HANDLER} builtin:RegExpPrototypeTest regexp:^(a+)+$`)[0]).toMatch(
      /^regexp \/srv\/app\.js:5 50: \/\^\(a\+\)\+\$\/ repeats a repeat, \(a\+\)\+: .*backtracking/,
    );
    expect(found(`${HANDLER} regexp:^x(?:[(*]|\\(b*){2,}$`)[0]).toContain(
      " repeats a repeat, (?:[(*]|\\(b*){2,}: ",
    );
    expect(found(`${HANDLER} regexp:^(a+)+$`)[0]).not.toContain("limit the length");
    expect(found(`${HANDLER} regexp:^(?:[a-z]\\s?)*@$`)[0]).toBe(
      "regexp /srv/app.js:5 50: /^(?:[a-z]\\s?)*@$/ searches text here; ",
    );
    expect(found(`${HANDLER} regexp:^(a+)+$`, 19)).toEqual([]);
    const made = times(20, `${HANDLER} builtin:RegExpConstructor`);
    expect(found(`${HANDLER} regexp:abc`, 30, ...made)[0]).toMatch(
      /^regexp-compile .* 50: .*again and again/,
    );
  });

  it("is a regular expression that may begin with a repeat anywhere", () => {
    const said = (pattern: string) => found(`${HANDLER} builtin:RegExpPrototypeTest regexp:${pattern}`)[0];
    expect(said("\\s+$")).toBe(
      "regexp /srv/app.js:5 50: /\\s+$/ may begin anywhere with the repeat \\s+: in a long run of such characters it is tried from each of them (backtracking); use trimEnd() or trim()",
    );
    expect(said("^[\\s]+|[\\s]+$")).toContain(" the repeat [\\s]+: ");
    expect(said(".*?=")).toContain(" the repeat .*?: ");
    for (const pattern of [
      "^\\s+$",
      "\\s+",
      "x\\s+$",
      "\\s+x?",
      "x(?:a|\\s+$)",
      "\\|\\s+$",
      "[|]a",
      "\\\\?a",
    ])
      expect(said(pattern)).toContain(" searches text here");
  });

  it("is a variable of the environment, and no global of a context", () => {
    expect(found(`${HANDLER} cpp:node::EnvGetter(int)`)[0]).toBe(
      "environment /srv/app.js:5 50: process.env asks the operating system each time, and makes a string; read it once, and keep the value",
    );
    expect(found(`${HANDLER} cpp:v8::internal::Runtime_LoadPropertyWithInterceptor(int)`)).toEqual([]);
  });

  it("is an object that is made again and again", () => {
    const made = "cpp:v8::internal::Builtin_NumberFormatConstructor(int)";
    expect(found(`${HANDLER} ${made}`)[0]).toMatch(
      / 50: Intl\.NumberFormat objects are made again and again; /,
    );
    const formatted = "cpp:v8::internal::Builtin_NumberFormatInternalFormatNumber(int)";
    expect(found(`${HANDLER} ${formatted}`)[0]).not.toContain("again and again");
    expect(found(`${HANDLER} js:concat·node:buffer:5:1 cpp:memcpy`)[0]).toMatch(/^buffer-concat/);
    expect(found(`${HANDLER} cpp:v8::internal::Builtin_FunctionConstructor(int)`)[0]).toMatch(
      /^code-from-text/,
    );
    expect(
      found(`${HANDLER} js:log·node:internal/console/constructor:5:1 js:writeSync·node:fs:7:1`)[0],
    ).toMatch(/^console /);
  });

  it("is work that grows with the size of an array or an object, and a comparison by language", () => {
    const kindOf = (stack: string) => found(`${HANDLER} ${stack}`)[0]?.split(" ")[0];
    expect(kindOf("builtin:ArrayIncludesSmi")).toBe("array-search");
    expect(kindOf("builtin:ArrayIndexOfObject")).toBe("array-search");
    expect(kindOf("cpp:v8::internal::Builtin_ArrayShift(int,·unsigned·long*)")).toBe("array-shift");
    expect(kindOf("cpp:v8::internal::Runtime_CopyDataProperties(int)")).toBe("spread");
    expect(kindOf("builtin:ArrayMap")).toBeUndefined();
    const compare = "cpp:v8::internal::Builtin_StringPrototypeLocaleCompareIntl(int)";
    expect(found(`${HANDLER} ${compare}`)[0]).toBe(
      "intl /srv/app.js:5 50: localeCompare compares texts by a language; make one Intl.Collator, and use its compare",
    );
  });

  it("is other work that a program may do too often", () => {
    const kindOf = (stack: string) => found(`${HTTP} ${HANDLER} ${stack}`)[0];
    expect(kindOf("js:randomBytes·node:internal/crypto/random:1:2 cpp:node::Run()")).toMatch(
      /^crypto-sync .*crypto\.randomBytes blocks .*for many at once/,
    );
    expect(kindOf("cpp:v8::internal::Builtin_ErrorConstructor(int)")).toMatch(/^stack-trace /);
    expect(kindOf("js:prepareStackTraceCallback·node:internal/errors:1:2")).toMatch(/^stack-trace /);
    expect(kindOf("js:inspect·node:internal/util/inspect:1:2 builtin:StringAdd")).toMatch(/^inspect /);
    expect(kindOf("js:memoryUsage·node:internal/process/per_thread:1:2 cpp:read")).toMatch(
      /^system .*process\.memoryUsage asks the operating system/,
    );
    expect(kindOf("js:cpus·node:os:1:2 cpp:read")).toMatch(/^system .*os\.cpus asks/);
    expect(kindOf("builtin:ObjectKeys cpp:v8::internal::Runtime_ObjectKeys(int)")).toMatch(/^keys /);
    expect(kindOf("builtin:ArrayReduce builtin:GrowFastSmiOrObjectElements")).toMatch(/^array-copy /);
    expect(kindOf("cpp:v8::bigint::ProcessorImpl::Modulo(int)")).toMatch(/^bigint /);
    expect(kindOf("cpp:v8::internal::Runtime_StringCharCodeAt(int) cpp:memcpy")).toMatch(/^flatten /);
    const load = "js:Module._load·node:internal/modules/cjs/loader:1:2 cpp:read";
    expect(kindOf(load)).toMatch(/^late-loading \/srv\/app\.js:5 50: modules are loaded while/);
    expect(found(`${MAIN} ${load}`)).toEqual([]);
  });

  it("is an array, a date, a number, a timer, a URL or a file that is worked on again and again", () => {
    const of = (stack: string, above = HTTP) => found(`${above} ${HANDLER} ${stack}`)[0];
    expect(of("builtin:ArrayPrototypeSplice cpp:memmove")).toMatch(/^array-splice \/srv\/app\.js:5 50: /);
    expect(of("cpp:v8::internal::DateParser::Parse<unsigned·char·const>(int)")).toMatch(
      /^dates .*new Date\(text\)/,
    );
    expect(of("cpp:v8::internal::Builtin_DateConstructor(int)")).toBeUndefined();
    expect(of("builtin:NumberPrototypeToFixed cpp:v8::internal::DoubleToFixedCString(double,·int)")).toMatch(
      /^number-text /,
    );
    expect(of("js:clearTimeout·node:timers:184:1 js:remove·node:internal/linkedlist:16:1")).toMatch(
      /^timers .*refresh/,
    );
    expect(of("js:setImmediate·node:timers:1:1")).toBeUndefined();
    expect(of("js:URL·node:internal/url:879:1 cpp:parse")).toMatch(
      /^urls \/srv\/app\.js:5 50: URLs are parsed/,
    );
    const open = "js:open·node:internal/fs/promises:9:1 cpp:uv_fs_open";
    expect(of(open)).toMatch(/^files .*each request reads or writes files/);
    expect(of(open, MAIN)).toBeUndefined();
  });

  it("is a list that becomes the arguments of a call, also if the caller was skipped", () => {
    const max = `${HANDLER} builtin:MathMax`;
    expect(found(max, 50, ...times(20, "builtin:CallVarargs"))[0]).toMatch(
      /^spread-call \/srv\/app\.js:5 70: Math\.max looks at all of a list each time .*keep the largest/,
    );
    expect(found(`${HANDLER} builtin:CallVarargs`)[0]).toContain(": a list is passed as the arguments");
  });

  it("is an error that is thrown, if nobody reads its stack", () => {
    const [made, thrown] = [
      "cpp:v8::internal::Builtin_ErrorConstructor(int)",
      "cpp:v8::internal::Runtime_Throw(int)",
    ];
    const read = "cpp:v8::internal::ErrorUtils::GetFormattedStack(int)";
    expect(found(`${HANDLER} ${made}`)[0]).toContain("50: errors are made again and again: each notes");
    expect(found(`${HANDLER} ${made}`, 40, ...times(20, `${HANDLER} ${thrown}`))[0]).toContain(
      "errors are made and thrown",
    );
    expect(found(`${HANDLER} ${made}`, 40, ...times(20, `${HANDLER} ${read}`))[0]).toContain(
      "their stack is read",
    );
  });

  it("is a loop that asks again and again, of which the ticks look idle but the CPU time does not", () => {
    const spin =
      "js:processImmediate·node:internal/timers:9:9 js:look·/srv/app.js:7:1@7 js:setImmediate·node:timers:1:1";
    const of = (stack: string, sampled: number) => {
      const profile = profileFromStacks(...times(100, stack));
      const byState = new Array<number>(VM_STATES.length).fill(0);
      byState[vmState("idle")] = 900;
      const info = {
        ...profile.info,
        ...{
          ticks: 1000,
          excluded: 900,
          waited: { ticks: 900, byState, library: undefined },
          cpu: { all: sampled, sampled },
        },
        sampling: { ...profile.info.sampling, span: 1_000_000 },
      };
      return withoutOwnCode(Analysis.of({ ...profile, info })).map(({ kind, percent, place }) => [
        kind,
        percent,
        place?.line,
      ]);
    };
    expect(of(spin, 900_000)).toEqual([["spinning", 90, 7]]);
    expect(of(spin, 100_000)).toEqual([["idle", 90, undefined]]);
    // What takes the CPU is not told.
    expect(of(HANDLER, 900_000)).toEqual([]);
  });

  it("is no idle time while a script runs without a CPU", () => {
    const start = "js:·node:internal/main/run_main_module:1:1";
    const kindsOf = (stack: string, idleAfter: number) => {
      const profile = profileFromStacks(...times(100, stack));
      const timeline = new TimelineBuilder();
      for (let i = 0; i < 100; i++) timeline.add(0, 10_000 * i);
      const info = {
        ...profile.info,
        cpu: { all: 100_000, sampled: 100_000 },
        sampling: { ...profile.info.sampling, span: 1_000_000 + idleAfter },
      };
      const all = findingsOf(Analysis.of({ ...profile, timeline, info }), 0);
      return all.filter(({ kind }) => kind === "idle").map(({ percent }) => Math.round(percent));
    };
    expect(kindsOf(`${start} ${MAIN}`, 0)).toEqual([]);
    expect(kindsOf(`idle:${start} ${MAIN}`, 0)).toEqual([90]);
    expect(kindsOf(`${TIMER} ${HANDLER}`, 0)).toEqual([90]);
    expect(kindsOf(`${start} ${MAIN}`, 9_000_000)).toEqual([90]);
  });

  it("is what a sort or a Proxy calls back, at the line of the sort", () => {
    const compare = "js:·/srv/app.js:8:30@8";
    const sort = `${HANDLER} builtin:ArrayPrototypeSort`;
    expect(found(`${sort} ${compare}`, 15, ...times(15, `${sort} builtin:ArrayTimSort`))[0]).toMatch(
      /^sort \/srv\/app\.js:5 30: /,
    );
    expect(found(`${HANDLER} builtin:ProxyGetProperty ${compare}`)[0]).toMatch(/^proxy \/srv\/app\.js:5 50/);
    const few = [...times(20, `${HANDLER} builtin:ProxyGetProperty`), ...times(130, MAIN)];
    expect(withoutOwnCode(Analysis.of(profileFromStacks(...few)))[0]?.kind).toBe("proxy");
    // What it does itself is what stands out.
    expect(found(`${sort} ${compare} builtin:ArrayIncludesSmi`)[0]).toMatch(/^array-search \/srv\/app\.js:8/);
  });

  it("is the work of promises themselves, not of what they call", () => {
    expect(
      found("js:processTicksAndRejections·node:internal/process/task_queues:1:1 builtin:RunMicrotasks"),
    ).toEqual([
      "promises 50: async functions and await themselves, each await with a turn of the microtask queue; await only what is not there yet",
    ]);
    expect(found(`${HANDLER} builtin:RunMicrotasks js:onread·node:net:1:2`)).toEqual([]);
    // Generators are continued by the same code as async functions.
    const resume = "builtin:ResumeGeneratorTrampoline";
    expect(found(`${HANDLER} ${resume}`)[0]).toMatch(/^generators \/srv\/app\.js:5 50: /);
    expect(found(`${HANDLER} ${resume}`, 30, ...times(20, "builtin:AsyncFunctionAwait"))).toEqual([
      expect.stringMatching(/^promises \/srv\/app\.js:5 50: async functions/),
    ]);
  });

  it("is a property that optimized code looks up by name", () => {
    const optimized = (tier: string) => `js:${tier}touch·/srv/app.js:4:1@5 builtin:LoadIC`;
    expect(found(optimized(""))[0]).toMatch(/^slow-properties \/srv\/app\.js:5 50: /);
    expect(found(optimized("^"))).toEqual([]);
    expect(found(optimized("").replace("LoadIC", "StoreIC"))).toEqual([]);
  });

  it("is a worker with most of the work, and how busy each is", () => {
    const profile = profileFromStacks(...times(80, "js:a"), ...times(10, "js:b"), ...times(10, "js:c"));
    const one = { ...profile.info.threads[0]!, pid: 1, span: 100_000 };
    const worker = (name: string, ticks: number) => ({ ...one, name, kind: "worker" as const, ticks });
    const threads = [{ ...one, kind: "main" as const, ticks: 10 }, worker("busy", 80), worker("idle", 100)];
    const of = (got: number | undefined) => {
      const sampling = { ...profile.info.sampling, got };
      const samples = {
        ...profile.samples,
        thread: Uint16Array.from(profile.samples.ticks, (_, i) => [1, 2, 0][i]!),
      };
      const info = { ...profile.info, threads, sampling };
      const [first] = findingsOf(Analysis.of({ ...profile, samples, info }), 0);
      return first?.kind === "one-worker" ? first.threads : undefined;
    };
    expect(of(undefined)).toEqual([
      { name: "busy", ticks: 80, busy: 100 },
      { name: "idle", ticks: 10, busy: 10 },
    ]);
    // Threads that sleep may get no ticks.
    expect(of(500)?.map(({ busy }) => busy)).toEqual([40, 5]);
  });

  it("is a worker with most of the program's work, whatever all of them take to start", () => {
    const stacks = [
      MAIN,
      "js:start·node:internal/main/worker_thread:1:2",
      "js:begin·node:internal/main/w:1:2",
    ];
    const profile = profileFromStacks(...times(60, MAIN), ...times(30, stacks[1]!), ...times(10, stacks[2]!));
    const one = { ...profile.info.threads[0]!, pid: 1, span: 100_000, kind: "worker" as const };
    const threads = ["busy", "idle"].map((name) => ({ ...one, name, ticks: 50 }));
    const thread = Uint16Array.from(profile.samples.ticks, (_, i) => [0, 1, 1][i]!);
    const info = { ...profile.info, threads };
    const changed = { ...profile, info, samples: { ...profile.samples, thread } };
    expect(withoutOwnCode(Analysis.of(changed)).map(({ kind, ticks }) => `${kind} ${ticks}`)).toEqual([
      "one-worker 60",
    ]);
  });

  it("is arithmetic with values of several types, in optimized code", () => {
    const of = (tier: string, ...stack: string[]) =>
      found(`js:${tier}sum·/srv/app.js:4:1@5 ${stack.join(" ")}`);
    expect(of("", "builtin:Multiply")).toEqual([
      "mixed-types /srv/app.js:5 50: arithmetic gets numbers and strings here: V8 looks at each, and converts it; convert values once, where they come in: Number(value)",
    ]);
    expect(of("+", "builtin:NonPrimitiveToPrimitive_Number", "js:valueOf·/srv/app.js:1:1@1")).toEqual([]);
    expect(of("+", "builtin:NonPrimitiveToPrimitive_Number")[0]).toContain(
      "numbers and strings or objects here",
    );
    expect(of("^", "builtin:Multiply")).toEqual([]);
    expect(of("", "builtin:StringAdd_CheckNone")).toEqual([]);
    expect(of("", "builtin:Multiply", "cpp:v8::bigint::ProcessorImpl::Multiply(int)")[0]).toMatch(/^bigint /);
    const big = times(
      20,
      "js:sum·/srv/app.js:4:1@5 builtin:Multiply cpp:v8::bigint::ProcessorImpl::Multiply(int)",
    );
    expect(found("js:sum·/srv/app.js:4:1@5 builtin:Multiply", 50, ...big).join()).not.toContain(
      "mixed-types",
    );
  });

  it("is what copies, fills or changes objects, if the program itself does so", () => {
    const kindOf = (stack: string) => found(`${HANDLER} ${stack}`)[0]?.split(" ")[0];
    expect(kindOf("builtin:CreateDataProperty")).toBe("spread");
    expect(kindOf("builtin:CloneObjectIC_Slow")).toBe("spread");
    expect(kindOf("builtin:SetConstructor builtin:SetPrototypeAdd")).toBe("collections");
    expect(kindOf("builtin:ObjectSetPrototypeOf cpp:v8::internal::JSObject::SetPrototype(int)")).toBe(
      "prototypes",
    );
    const node = "js:write·node:net:1:2";
    for (const one of ["builtin:CreateDataProperty", "builtin:CallForwardVarargs", "builtin:ObjectKeys"])
      expect([kindOf(one), kindOf(`${node} ${one}`)]).toEqual([expect.any(String), undefined]);
  });

  it("is an array with elements far apart, and no other store", () => {
    const store = "cpp:v8::internal::Runtime_SetKeyedProperty(int)";
    const of = (leaf: string) =>
      found(`${HANDLER} ${store} cpp:${leaf}`, 30, ...times(20, `${HANDLER} ${store}`));
    expect(of("v8::internal::HashTable<v8::internal::NumberDictionary,·int>::Rehash(int)")).toEqual([
      expect.stringMatching(/^sparse-elements \/srv\/app\.js:5 50: elements of an array are far apart/),
    ]);
    expect(of("v8::internal::JSReceiver::SetProperty(int)")).toEqual([]);
  });

  it("is an event with its handler, and not what the handler calls", () => {
    const emit = `${HANDLER} js:emit·node:events:1:2`;
    const handler = `${emit} js:redraw·/srv/view.js:8:1@9`;
    const [first, ...others] = raw([
      ...times(30, `${emit} builtin:Call_ReceiverIsAny`),
      ...times(20, handler),
    ]);
    expect([first?.kind, first?.ticks, first?.made?.file, first?.made?.line]).toEqual([
      "events",
      30,
      "/srv/view.js",
      9,
    ]);
    expect(others).toEqual([]);
    expect(raw(times(50, `${emit} js:ondata·node:internal/streams/readable:1:2`))[0]?.kind).toBe("streams");
    expect(raw(times(50, "js:start·node:net:1:2 js:emit·node:events:1:2"))).toEqual([]);
  });

  it("is a search with a callback, as far as the callback itself runs", () => {
    const call = `${HANDLER} js:·/srv/app.js:5:9@5`;
    const searching = (stacks: string[], role: string) => {
      const profile = profileFromStacks(...stacks, ...times(50, "js:other·/srv/other.js:1:9"));
      const frames = profile.frames.map((one) =>
        one.kind === "js" && one.name.endsWith(":5:9") ? { ...one, role } : one,
      );
      return withoutOwnCode(Analysis.of({ ...profile, frames }))[0];
    };
    const [own, called] = [times(30, call), times(20, `${call} js:parse·/srv/app.js:20:1@21`)];
    const one = searching([...own, ...called], "users.find callback");
    expect([one?.kind, one?.ticks, one?.place?.line]).toEqual(["array-search", 30, 5]);
    expect(searching([...own, ...called], "users.map callback")).toBeUndefined();
  });

  it("is a sort, and the comparison if that calls more than itself", () => {
    const compare = `${HANDLER} builtin:ArrayTimSort js:byName·/srv/app.js:8:1@9`;
    const what = (stack: string) => found(stack, 30, ...times(10, `${HANDLER} builtin:ArrayTimSort`))[0];
    expect(what(`${compare} builtin:StringPrototypeToLowerCaseIntl`)).toContain(
      "what byName calls to compare",
    );
    expect(what(compare)).toContain("an array is sorted; sort once");
  });

  it("is a function that calls itself", () => {
    const fib = "js:fib·/srv/app.js:8:1@9";
    expect(found(`${HANDLER} ${fib} ${fib} ${fib}`)).toEqual([
      "recursion /srv/app.js:9 50: fib calls itself, and most is done in it; if it is asked for the same again, keep its results",
    ]);
    expect(found(`${HANDLER} ${fib} ${HANDLER} ${fib}`)).toEqual([]);
    expect(found(`${HANDLER} ${fib} ${fib}`, 39)).toEqual([]);
  });

  it("has what gives objects their shapes, or deletes from them", () => {
    const make = "js:make·/srv/nodes.js:3:1@4";
    const [shapes] = raw([
      ...times(45, `${HANDLER} builtin:LoadIC_Megamorphic`),
      ...times(2, `${HANDLER} ${make} builtin:KeyedStoreIC_Megamorphic`),
    ]);
    expect([shapes?.kind, shapes?.made?.file, shapes?.made?.line]).toEqual([
      "megamorphic",
      "/srv/nodes.js",
      4,
    ]);
    const [slow] = raw([
      ...times(45, `${HANDLER} builtin:LoadIC`),
      `${HANDLER} ${make} builtin:DeleteProperty`,
    ]);
    expect([slow?.kind, slow?.made?.file, slow?.made?.line]).toEqual(["slow-properties", "/srv/nodes.js", 4]);
  });

  it("has the hottest line near accesses whose function the sampler skipped", () => {
    const near = times(20, "js:run·/srv/app.js:1:9@2 js:walk·/srv/app.js:8:1@9");
    const skipped = "js:run·/srv/app.js:1:9@2 builtin:LoadIC_Megamorphic";
    const root = "js:start·node:internal/main/run_main_module:1:2";
    const elsewhere = times(25, "js:other·/srv/far.js:8:1@9");
    const of = (stack: string) => raw([...times(30, stack), ...near, ...elsewhere])[0]?.likely;
    expect(of(skipped)).toBeUndefined(); // All is at one place.
    const stacks = [
      ...times(30, `${root} builtin:LoadIC_Megamorphic`),
      ...near.map((one) => `${root} ${one}`),
    ];
    const likely = raw([...stacks, ...elsewhere])[0]?.likely;
    expect([likely?.function.name, likely?.line]).toEqual(["walk", 9]);
  });

  it("counts conversions of text to the arithmetic that needs them", () => {
    const sum = "js:sum·/srv/app.js:4:1@5";
    const convert = times(30, `${sum} cpp:v8::internal::Runtime_StringToNumber(int)`);
    expect(found(`${sum} builtin:Multiply`, 20, ...convert)).toEqual([
      expect.stringMatching(/^mixed-types \/srv\/app\.js:5 50: /),
    ]);
    expect(found(convert[0]!, 50)[0]).toMatch(/^number-text /);
  });

  it("is a text that is searched or converted, numbers that become text and back, and a lock", () => {
    const search = `${HANDLER} builtin:StringIndexOf`;
    expect(found(search)[0]).toMatch(/^text-search \/srv\/app\.js:5 50: texts are searched/);
    expect(found(`${HANDLER} cpp:__memchr_evex`)[0]).toMatch(/^text-search /);
    // Node searches paths for itself.
    expect(found(`${HANDLER} js:resolve·node:path:1:2 builtin:StringIndexOf`)).toEqual([]);
    // What a callback of a search does is that, and not the search.
    const some = `${HANDLER} builtin:ArraySome`;
    expect(found(`${some} js:·/srv/app.js:7:1@7 builtin:StringIndexOf`)[0]).toMatch(/^text-search .*:7 50/);
    expect(found(`${HANDLER} cpp:v8::internal::Intl::ConvertOneByteToLower(int)`)[0]).toMatch(/^text-case /);
    expect(found(`${HANDLER} builtin:StringToLowerCaseIntl`)[0]).toMatch(/^text-case /);
    expect(found(`${HANDLER} cpp:v8::internal::Builtin_AtomicsNotify(int) cpp:syscall`)[0]).toMatch(
      /^locks .* threads wait for each other/,
    );
    const parse = times(25, `${HANDLER} cpp:v8::internal::Runtime_StringParseInt(int)`);
    expect(found(`${HANDLER} builtin:NumberPrototypeToString`, 25, ...parse)[0]).toMatch(
      /^number-text .* 50: numbers become text, and text numbers; /,
    );
    expect(found(`${HANDLER} builtin:NumberPrototypeToString`)[0]).toMatch(/ 50: numbers become text, or /);
  });

  it("is texts whose parts are replaced, also if no regular expression does so", () => {
    const replace = `${HANDLER} builtin:StringPrototypeReplace`;
    const [first] = raw([
      ...times(15, `${replace} builtin:StringIndexOf`),
      ...times(15, `${replace} builtin:RegExpReplace`),
    ]);
    expect([first?.kind, first?.ticks]).toEqual(["text-replace", 30]);
    expect(found(`${replace} regexp:^(a+)+$`)[0]).toContain(" repeats a repeat, ");
  });

  it("is what posts messages, and all that Node and the system do for it", () => {
    const post = "js:postMessage·node:internal/worker:462:1 cpp:__GI___lll_lock_wake";
    expect(found(`${HANDLER} ${post}`)[0]).toMatch(/^copies .*app\.js:5 50: /);
  });

  it("is the largest kind of work from a tenth of the ticks on, if no callback is part of it", () => {
    const kindsOf = (...stacks: string[]) =>
      withoutOwnCode(Analysis.of(profileFromStacks(...stacks, ...times(200 - stacks.length, MAIN)))).map(
        ({ kind }) => kind,
      );
    const search = times(30, `${HANDLER} builtin:ArrayIndexOfObject`);
    expect(kindsOf(...search)).toEqual(["array-search"]);
    expect(kindsOf(...search.slice(11))).toEqual([]);
    expect(kindsOf(...search, ...times(50, `${HANDLER} builtin:StringPrototypeSplit`))).toEqual([
      "text-split",
    ]);
    expect(kindsOf(...times(30, `${HANDLER} builtin:ArrayPrototypeSort`))).toEqual([]);
  });

  it("is no call of Math.max with two numbers, and no stream that a response ends", () => {
    const of = (source: string, stack: string) => {
      const profile = profileFromStacks(...times(90, stack), ...times(10, MAIN));
      const sources = [{ file: "/srv/app.js", text: `\n\n\n\n${source}` }];
      return withoutOwnCode(Analysis.of({ ...profile, sources })).map(({ kind }) => kind);
    };
    expect(of("t += Math.max(0, x);", `${HANDLER} builtin:MathMax`)).toEqual([]);
    expect(of("t += Math.max(...list);", `${HANDLER} builtin:MathMax`)).toEqual(["spread-call"]);
    const stream = `${HTTP} ${HANDLER} js:end·node:internal/streams/writable:5:1`;
    expect(of("res.end(text);", stream)).toEqual([]);
    expect(of("res.write(text);", stream)).toEqual(["streams"]);
  });

  it("is no start-up if a package waits for another program as it loads", () => {
    const bin = "js:·/srv/node_modules/b/bin.js:1:1@9";
    const of = (own: string) => {
      const profile = Analysis.of(profileFromStacks(...times(80, `${bin} ${own}`), ...times(20, MAIN)));
      return findingsOf(profile, 80).map(({ kind }) => kind);
    };
    expect(of("js:spawnSync·node:child_process:1:2")).not.toContain("loading");
    expect(of("builtin:Foo")).toContain("loading");
  });

  it("says of garbage once what makes nearly all of it", () => {
    const parse = `${HANDLER} cpp:v8::internal::Builtin_JsonParse(int)`;
    const kindsOf = (before: string) => {
      const stacks = [...times(40, parse), before, ...times(30, "gc:cpp:v8::Mark"), ...times(29, MAIN)];
      const profile = profileFromStacks(...stacks);
      const kinds = Array.from(new Set(stacks)); // Samples have the order of their first ticks.
      const timeline = new TimelineBuilder();
      for (const [i, stack] of stacks.entries()) timeline.add(kinds.indexOf(stack), i * 1000);
      return withoutOwnCode(Analysis.of({ ...profile, timeline })).map(
        ({ kind, makesGarbage }) => `${kind} ${makesGarbage}`,
      );
    };
    expect(kindsOf(parse)).toEqual(["json true"]);
    expect(kindsOf(MAIN)).toEqual(["json false", "gc false"]);
  });

  it("is a module that runs again after the loader worked for the same function", () => {
    const loader = `${MAIN} ${HANDLER} js:require·node:internal/modules/helpers:1:2`;
    const find = `${loader} js:Module._findPath·node:internal/modules/cjs/loader:2:2`;
    const one = `${loader} js:·/srv/one.js:1:1@2`;
    const kindsIn = (thread: Uint16Array, ...stacks: string[]) => {
      const profile = profileFromStacks(...stacks);
      const kinds = Array.from(new Set(stacks)); // Samples have the order of their first ticks.
      const timeline = new TimelineBuilder();
      for (const [i, stack] of stacks.entries()) timeline.add(kinds.indexOf(stack), i * 1000);
      const threads = Array.from(new Set(thread), () => profile.info.threads[0]!);
      const samples = { ...profile.samples, thread };
      const info = { ...profile.info, threads };
      const all = Analysis.of({ ...profile, samples, info, timeline });
      return findingsOf(all, 40).map(({ kind, place }) => `${kind} ${place?.function.file}:${place?.line}`);
    };
    const kindsOf = (...stacks: string[]) => kindsIn(new Uint16Array(stacks.length), ...stacks);
    const again = Array.from({ length: 20 }, () => [find, one]).flat();
    expect(kindsOf(...again)).toEqual(["late-loading /srv/app.js:5"]);
    // It may have run all the time, with its function skipped by the sampler.
    expect(kindsOf(...again.map((stack) => (stack === find ? loader : stack)))).not.toContain(
      "late-loading /srv/app.js:5",
    );
    const others = again.map((stack, i) => stack.replace("one.js", `${i}.js`));
    expect(kindsOf(...others)).toEqual(["loading /srv/app.js:5"]);
    const esm = again.map((stack) =>
      stack.replace("internal/modules/helpers", "internal/modules/esm/module_job"),
    );
    expect(kindsOf(...esm)).toEqual(["loading /srv/app.js:5"]);
    const ofNode = again.map((stack) => stack.replace("/srv/one.js", "node:internal/deps/one"));
    expect(kindsOf(...ofNode)).toEqual(["loading /srv/app.js:5"]);
    // Each process loads a module once.
    const each = Array.from({ length: 20 }, (_, i) => [find, one].map((stack) => `js:p${i} ${stack}`)).flat();
    const thread = Uint16Array.from(each, (_, i) => i >> 1);
    expect(kindsOf(...each)).toEqual(["late-loading /srv/app.js:5"]);
    expect(kindsIn(thread, ...each)).toEqual(["loading /srv/app.js:5"]);
  });

  it("is hashing of many small values, if making the hashes is much of it", () => {
    const update = `${MAIN} ${HANDLER} js:update·node:internal/crypto/hash:9:2 cpp:node::crypto::Hash::HashUpdate()`;
    const make = `${MAIN} ${HANDLER} js:Hash·node:internal/crypto/hash:1:2`;
    expect(found(update)[0]).toContain("; a worker thread could do it");
    const small = found(update, 30, ...times(20, make))[0];
    expect(small).toContain(
      "50: small values are hashed with crypto, each with a Hash object of its own, in the ",
    );
    expect(small).toContain("; crypto.hash does it in one call");
  });

  it("is a module that import() asks for each time, but none that it loads", () => {
    const native = "cpp:v8::internal::Runtime_DynamicImportCall(int)";
    const asked = `js:importModuleDynamicallyCallback·node:internal/modules/esm/utils:1:2 js:import·node:internal/modules/esm/loader:2:2`;
    expect(found(`${HANDLER} ${asked}`, 40, ...times(10, `${HANDLER} ${native}`))[0]).toMatch(
      /^dynamic-import \/srv\/app\.js:5 50: a module is asked for by import\(\) each time/,
    );
    expect(found(`${HANDLER} ${asked}`)).toEqual([]);
  });

  it("is a deep comparison, by Node or by the lists of properties", () => {
    expect(
      found(`${HANDLER} js:isDeepEqual·node:internal/util/comparisons:1:2 builtin:ObjectKeys`)[0],
    ).toMatch(/^deep-equal .* 50: values are compared with all that they have/);
    const profile = profileFromStacks(...times(90, `${HANDLER} builtin:ObjectKeys`), ...times(10, MAIN));
    const of = (source: string) => {
      const sources = [{ file: "/srv/app.js", text: `\n\n\n\n${source}` }];
      return plainly(findingsOf(Analysis.of({ ...profile, sources }), 0)[0]!.what, {});
    };
    expect(of("if (keys.length !== Object.keys(b).length) return false;")).toMatch(/^objects are compared/);
    expect(of("for (const key of Object.keys(b)) use(key);")).toMatch(/^a list of all properties/);
  });

  it.each([
    ["classes", "cpp:v8::internal::Runtime_DefineClass(int)", "classes are made here again"],
    ["define-property", "cpp:v8::internal::Builtin_ObjectDefineProperty(int)", "properties are defined one"],
    ["weak-references", "builtin:FinalizationRegistryRegister", "WeakRef and FinalizationRegistry keep"],
    ["weak-references", "builtin:WeakRefConstructor", "WeakRef and FinalizationRegistry keep"],
    ["text-coding", "js:TextDecoder·node:internal/encoding:1:2", "TextDecoder objects are made again"],
    [
      "text-coding",
      "js:decode·node:internal/encoding:9:2 cpp:node::StringBytes::Encode()",
      "bytes become text",
    ],
    ["zlib-sync", "js:syncBufferWrapper·node:zlib:1:2 cpp:deflate", "a synchronous function of zlib"],
  ])("is %s by %s", (kind, below, what) => {
    expect(found(`${HANDLER} ${below}`)[0]).toContain(`${kind} /srv/app.js:5 50: ${what}`);
  });

  it("is an async hook with all that it does, at its own line", () => {
    const hook =
      "js:emitInitScript·node:internal/async_hooks:1:2 js:emitInitNative·node:internal/async_hooks:3:2";
    const init = "js:init·/srv/trace.js:2:3@4";
    expect(found(`${HANDLER} ${hook} ${init} builtin:MapPrototypeSet`)[0]).toMatch(
      /^async-hooks \/srv\/trace\.js:4 50: async hooks /,
    );
    // Node does this for each callback, also if nobody listens.
    expect(found(`${HANDLER} js:emitBeforeScript·node:internal/async_hooks:1:2`)).toEqual([]);
  });

  it("is a function that has itself called again by process.nextTick", () => {
    const drain =
      "js:processTicksAndRejections·node:internal/process/task_queues:5:1 js:drain·/srv/app.js:1:1";
    const of = (source: string) => {
      const next = `${drain}@2 js:nextTick·node:internal/process/task_queues:100:1`;
      const profile = profileFromStacks(...times(30, `${drain}@1`), ...times(10, next), ...times(60, MAIN));
      const sources = [{ file: "/srv/app.js", text: `function drain() { work();\n${source}` }];
      return findingsOf(Analysis.of({ ...profile, sources }), 0).find(({ kind }) => kind === "tick-chain");
    };
    const chain = of("process.nextTick(drain); }");
    expect([chain?.ticks, chain?.place?.line, chain?.place?.ticks]).toEqual([40, 2, 10]);
    expect(of("process.nextTick(other); }")).toBeUndefined();
  });

  it("is an array that is copied, if copying memory is all that is seen of it and the source says so", () => {
    const of = (source: string, stack: string) => {
      const sources = [{ file: "/srv/app.js", text: `\n\n\n\n${source}` }];
      const profile = Analysis.of({ ...profileFromStacks(...times(50, stack), ...times(50, MAIN)), sources });
      return withoutOwnCode(profile).map(({ kind, what }) => `${kind}: ${plainly(what, {})}`);
    };
    const copy = `${HANDLER} libc:__memcpy_avx512_unaligned_erms`;
    expect(of("return this.#rows.slice();", copy)).toEqual([
      "array-copy: an array is copied each time (slice)",
    ]);
    expect(of("const all = [...rows, row];", copy)).toEqual([
      "array-copy: an array is copied each time it grows ([...array, one] or concat)",
    ]);
    expect(of("bytes.set(part, at);", copy)).toEqual([]);
    expect(of("rows.slice();", `${HANDLER} builtin:StringPrototypeRepeat libc:__memmove_sse2`)).toEqual([]);
  });

  it("is a key that is made as a text each time, if texts are hashed where keys are found or added", () => {
    const of = (...stacks: string[]) =>
      raw(stacks.map((stack) => `${HANDLER} ${stack}`)).map(
        ({ ticks, what }) => `${ticks}: ${plainly(what, {})}`,
      );
    const find = times(30, "builtin:FindOrderedHashSetEntry");
    const add = times(20, "builtin:SetPrototypeAdd");
    const hash = "cpp:v8::internal::String::ComputeAndSetRawHash(int)";
    const keys = /: texts that are made each time are keys of a Set, a Map or an object/;
    expect(of(...find, ...add, ...times(15, hash))).toEqual([
      expect.stringMatching(/^65: texts that are made/),
    ]);
    expect(of(...times(30, "cpp:v8::internal::Runtime_InternalizeString(int)"))).toEqual([
      expect.stringMatching(keys),
    ]);
    expect(of(...find, ...times(2, hash))).toEqual([]);
    expect(of(...find, ...add)).toEqual(["50: elements are added to a Set or a Map, and looked for"]);
  });

  it("is a list of all elements of a Set or a Map, which is no list that grows", () => {
    const of = (builtin: string) => found(`${MAIN} ${HANDLER} builtin:${builtin}`)[0];
    expect(of("MapIteratorToList")).toContain(
      "all elements of a Set or a Map are copied into an array each time",
    );
    expect(of("MapPrototypeSet")).toContain("elements are added to a Set or a Map");
  });

  it("is a context that is made for each run of a script, unlike code that is made from text", () => {
    const of = (stack: string) => found(`${MAIN} ${HANDLER} ${stack}`)[0];
    const context = "js:createContext·node:vm:2:2 cpp:v8::internal::Genesis::Genesis(int)";
    expect(of(`js:runInNewContext·node:vm:1:1 ${context}`)).toContain(
      "a context with globals of its own is made",
    );
    expect(of("js:Script·node:vm:1:1 cpp:node::contextify::ContextifyScript::New(int)")).toContain(
      "made from text",
    );
  });

  it("is an element beside its array, if the source reads one by a calculated index", () => {
    const of = (source: string, builtin: string) => {
      const profile = profileFromStacks(...times(90, `${HANDLER} builtin:${builtin}`));
      const sources = [{ file: "/srv/app.js", text: `\n\n\n\n${source}` }];
      return plainly(findingsOf(Analysis.of({ ...profile, sources }), 0)[0]!.what, {});
    };
    expect(of("sum += data[i + k];", "KeyedLoadIC_Megamorphic")).toContain("below 0 or past its end");
    expect(of("sum += data[i + k];", "LoadIC_Megamorphic")).not.toContain("below 0");
    expect(of("sum += data[key];", "KeyedLoadIC_Megamorphic")).not.toContain("below 0");
  });

  it("has the only place that deletes properties, if no tick saw it", () => {
    const of = (source: string) => {
      const profile = profileFromStacks(...times(90, `${HANDLER} builtin:LoadIC`));
      const sources = [{ file: "/srv/app.js", text: source }];
      return findingsOf(Analysis.of({ ...profile, sources }), 0)[0]?.made?.line;
    };
    expect(of("x;\ndelete it.temp;")).toBe(2);
    expect(of("x;\ndelete it.temp;\ndelete it.b;")).toBeUndefined();
    expect(of("x;\n/* delete it */")).toBeUndefined();
  });

  it("has a line of the function that is known, if most lines of it are not", () => {
    const zlib = "js:zlibBufferSync·node:zlib:1:2 cpp:deflate";
    const unknown = "js:handle·/srv/app.js:4:1";
    const [one] = raw([
      ...times(60, `${HTTP} ${unknown} ${zlib}`),
      ...times(3, `${HTTP} ${HANDLER} ${zlib}`),
    ]);
    expect([one?.place?.isLineKnown, one?.likely?.line]).toEqual([false, 5]);
  });

  it("takes property accesses below what runs a module for those of its code", () => {
    const run = "js:Module._compile·node:internal/modules/cjs/loader:1:2 builtin:LoadIC_Megamorphic";
    expect(found(run)[0]).toMatch(/^megamorphic 50: /);
    expect(found(run.replace("._compile", "._load"))).toEqual([]);
  });

  it("says of start-up which package most of it is, in one finding", () => {
    const load = times(60, `${MAIN} js:parse·/srv/node_modules/big/i.js:1:2@3`);
    const profile = Analysis.of(profileFromStacks(...load, ...times(40, "js:other·/srv/other.js:1:9")));
    const of = (loading: number) =>
      findingsOf(profile, loading).map(({ kind, what }) => `${kind}: ${plainly(what, {})}`);
    expect(of(62)).toEqual([
      "loading: start-up: modules are found, read, compiled and run, mostly those of the package big",
    ]);
    expect(of(0)).toEqual(["package: the package big, called from here"]);
  });

  it("is a package that is not called from here, if few of its ticks are below the program", () => {
    const parse = "js:parse·/srv/node_modules/big/i.js:1:2@3";
    const whatOf = (own: number) => {
      const stacks = [...times(own, `${MAIN} ${parse}`), ...times(60 - own, parse)];
      const profile = Analysis.of(profileFromStacks(...stacks, ...times(40, "js:other·/srv/other.js:1:9")));
      return plainly(findingsOf(profile, 0)[0]!.what, {});
    };
    expect([whatOf(10), whatOf(40)]).toEqual(["the package big", "the package big, called from here"]);
  });

  it("is at the lines that ask for modules, with what the code of these does", () => {
    const load = `${MAIN.replace("@9", "@3")} js:Module._load·node:internal/modules/cjs/loader:1:2`;
    const profile = Analysis.of(
      profileFromStacks(
        ...times(
          40,
          `${load} js:·/srv/node_modules/big/i.js:1:1@1 js:parse·/srv/node_modules/big/i.js:1:2@3`,
        ),
        ...times(5, `${TIMER} ${HANDLER} js:Module._load·node:internal/modules/cjs/loader:1:2`),
        ...times(55, "js:other·/srv/other.js:1:9"),
      ),
    );
    const loading = loadingTicks(profile).startup;
    const one = findingsOf(profile, loading).find(({ kind }) => kind === "loading");
    expect(one?.ticks).toBe(40);
    expect(one?.places.map(({ line, ticks }) => [line, ticks])).toEqual([[3, 40]]);
  });

  it("is start-up from a tenth on, if that has most ticks, and no code that a package compiles for it", () => {
    const load = `${MAIN.replace("@9", "@3")} js:Module._load·node:internal/modules/cjs/loader:1:2`;
    const big = "js:·/srv/node_modules/big/i.js:1:1@1";
    const compile = "js:compile·/srv/node_modules/cache/i.js:4:1@7 js:runInThisContext·node:vm:1:2";
    const kindsOf = (...stacks: string[]) => {
      const profile = Analysis.of(profileFromStacks(...stacks));
      return findings(profile, { loading: loadingTicks(profile), deopts: [] }).map(({ kind }) => kind);
    };
    const others = Array.from({ length: 80 }, (_, i) => `js:f${i}·/srv/other.js:${i + 1}:9`);
    expect(kindsOf(...times(20, `${load} ${big}`), ...others)).toEqual(["loading"]);
    expect(kindsOf(...times(60, `${load} ${big} ${compile}`), ...others)).toEqual(["loading"]);
  });

  it("is a text that is split, a module that is loaded again, and code that is run in a context", () => {
    const kindOf = (stack: string) => found(`${HANDLER} ${stack}`)[0]?.split(" ")[0];
    expect(kindOf("builtin:StringPrototypeSplit cpp:v8::internal::Runtime_StringSplit(int)")).toBe(
      "text-split",
    );
    expect(kindOf("js:runInNewContext·node:vm:1:2 cpp:v8::internal::Deserializer::ReadObject(int)")).toBe(
      "code-from-text",
    );
    const load = `${TIMER} ${HANDLER} js:Module._load·node:internal/modules/cjs/loader:1:2`;
    const profile = profileFromStacks(...times(50, load), ...times(50, "js:other·/srv/other.js:1:9"));
    const kindsWith = (line: string) =>
      withoutOwnCode(
        Analysis.of({ ...profile, sources: [{ file: "/srv/app.js", text: `\n\n\n\n${line}` }] }),
      ).map(({ kind }) => kind);
    expect(kindsWith("delete require.cache[name]; require(name);")).toEqual(["late-loading"]);
    expect(kindsWith("require(name);")).toEqual([]);
  });

  it("is the hottest line itself, if nothing says more", () => {
    const of = (stack: string, ticks = 50, ...others: string[]) => {
      const rest = Array.from({ length: 100 - ticks - others.length }, (_, i) => `js:o·/srv/o.js:${i + 1}:9`);
      const profile = Analysis.of(profileFromStacks(...times(ticks, stack), ...others, ...rest));
      return findingsOf(profile, 0);
    };
    const call = "js:run·/srv/app.js:1:9@2";
    const [one, ...others] = of(`${call} ${HANDLER}`);
    expect([one?.kind, one?.ticks, one?.place?.line, one?.caller?.line]).toEqual(["own-code", 50, 5, 2]);
    expect(others).toEqual([]);
    expect(of(HANDLER, 19)).toEqual([]);
    const sources = [{ file: "/srv/app.js", text: `${"\n".repeat(4)}h = h * 31n;` }];
    const withBigInt = { ...profileFromStacks(...times(50, HANDLER)), sources };
    const [bigInt] = findingsOf(Analysis.of(withBigInt), 0);
    expect(bigInt?.kind).toBe("own-code");
    expect(plainly(bigInt!.what, {})).toMatch(/: it calculates with BigInt$/);
    // A search of more ticks is the answer.
    const search = times(60, `${HANDLER} builtin:ArrayIncludesSmi`);
    expect(of(HANDLER, 30, ...search).map(({ kind }) => kind)).toEqual(["array-search"]);
  });

  it("is the hottest code, with what takes most of it, if others explain less than half of it", () => {
    const of = (...stacks: string[]) =>
      findingsOf(Analysis.of(profileFromStacks(...stacks)), 0).map(
        ({ kind, ticks, place, places, what, makesGarbage }) => ({
          is: `${kind} ${ticks} ${place?.line} ${places.length}: ${plainly(what, {})}`,
          makesGarbage,
        }),
      );
    const at = (line: number) => `js:work·/srv/app.js:4:1@${line}`;
    const rest = Array.from({ length: 40 }, (_, i) => `js:o${i}·/srv/o.js:${i + 1}:9`);
    const map = `${at(5)} builtin:MathSqrt`;
    const [hot, sort] = of(
      ...times(30, map),
      ...times(10, at(5)),
      ...times(20, `js:by·/srv/b.js:1:1@2 builtin:ArrayTimSort`),
      ...rest,
    );
    expect(hot?.is).toBe("hot-code 40 5 1: mostly Builtin: MathSqrt");
    expect(sort?.is).toMatch(/^sort 20 2 1: /);
    // What others say of the line is enough.
    const named = of(...times(30, `${at(5)} builtin:ArrayTimSort`), ...times(20, map), ...rest);
    expect(named.map(({ is }) => is.split(" ")[0])).toEqual(["sort"]);
    // Lines of one function that are each small are one finding, and garbage is no function.
    const split = [5, 6, 7, 8].flatMap((line) => times(10, `gc:${at(line)} cpp:v8::Scavenge`));
    expect(of(...split, ...rest).find(({ is }) => is.startsWith("hot"))?.is).toBe(
      "hot-code 40 5 4: mostly garbage collection",
    );
    expect(of(...[1, 2, 3].flatMap((n) => times(10, `${at(5)} cpp:f${n}(int)`)), ...rest)[0]?.is).toBe(
      "hot-code 30 5 1: mostly f1 and f2",
    );
    expect(of(...[1, 2, 3, 4, 5].flatMap((n) => times(6, `${at(5)} cpp:f${n}`)), ...rest)[0]?.is).toBe(
      "hot-code 30 5 1: in many functions that it calls",
    );
  });

  it("tells a server to keep what it reads or runs for each request", () => {
    const read = "js:readFileSync·node:fs:1:2 cpp:read";
    expect(found(`${HTTP} ${HANDLER} ${read}`)[0]).toContain(
      "; keep the result if it is always the same, else fs",
    );
    expect(found(`${TIMER} ${HANDLER} ${read}`)[0]).toContain("; fs.readFile uses the thread pool");
  });

  it("takes no longer than linear time on a regular expression without end", () => {
    expect(found(`${HANDLER} regexp:${"[".repeat(100_000)}`)).toHaveLength(1);
  });
});

describe.each(FIXTURE_NAMES)("%s", (name) => {
  it("has findings that are large, few, sorted, and at lines of the program", async () => {
    const profile = Analysis.of(await fixtureProfile(name, WHOLE));
    const all = findingsOf(profile, 0);
    expect(all.length).toBeLessThanOrEqual(5);
    const shares = all.filter(({ kind }) => kind !== "idle").map(({ percent }) => percent);
    expect(shares).toEqual(shares.toSorted((a, b) => b - a));
    for (const { percent, ticks, place } of all) {
      expect(percent).toBeGreaterThanOrEqual(5);
      expect(percent).toBeLessThanOrEqual(100);
      if (place === undefined) continue;
      expect(place.ticks).toBeLessThanOrEqual(ticks);
      expect(["app", "deps"]).toContain(place.function.origin.kind);
    }
  });
});
