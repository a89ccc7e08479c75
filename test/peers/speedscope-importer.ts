import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { npmPeer } from "./peer.ts";

/** What speedscope makes of a file. */
export interface SpeedscopeProfile {
  getName(): string;
  getTotalWeight(): number;
  /** Without time of nobody and of `(idle)`. */
  getTotalNonIdleWeight(): number;
  getWeightUnit(): string;
  forEachCall(open: (node: { frame: { name: string } }, value: number) => void, close: () => void): void;
}

const { folder } = npmPeer("speedscope@1.25.0", "ajv@8.20.0");
/** The folder of its page. */
export const SPEEDSCOPE = join(folder, "node_modules/speedscope/dist/release");

/** The schema that ships with speedscope. */
export const SPEEDSCOPE_SCHEMA = JSON.parse(
  readFileSync(join(SPEEDSCOPE, "file-format-schema.json"), "utf8"),
);

/** Reads a file as speedscope's page does when it is dropped there: the importer is taken out of the page's script. */
export async function importIntoSpeedscope(file: string): Promise<SpeedscopeProfile[]> {
  const group = await importer(basename(file), readFileSync(file).toString("base64"));
  if (group === null) throw new Error(`speedscope does not know what ${file} is`);
  return group.profiles;
}

const importer = loadImporter();

function loadImporter(): (name: string, base64: string) => Promise<{ profiles: SpeedscopeProfile[] } | null> {
  const bundle = readdirSync(SPEEDSCOPE).find((name) => /^speedscope-.*\.js$/.test(name))!;
  const code = readFileSync(join(SPEEDSCOPE, bundle), "utf8");
  const name = /loadFileFromBase64:\((\w+),(\w+)\)=>\{this\.loadProfile\(\(\)=>(\w+)\(\1,\2\)\)/.exec(
    code,
  )![3];
  // The last thing that the script does is to draw the page: before that, it hands out what it imports with.
  const end = code.indexOf("console.log(`speedscope v");
  const script = `${code.slice(0, end)}hand.out=${name};return;${code.slice(end)}`;
  const hand: { out?: typeof importer } = {};
  const page = {
    window: {
      devicePixelRatio: 1,
      addEventListener() {},
      location: { protocol: "file:", hash: "", href: "file:///" },
      matchMedia: () => ({ matches: false, addListener() {}, addEventListener() {} }),
    },
    document: anything(),
    localStorage: { getItem: () => null, setItem() {} },
    console: { ...console, log() {} },
    hand,
  };
  new Function(...Object.keys(page), script)(...Object.values(page));
  return hand.out!;
}

/** An object that lets everything be done with it. */
function anything(): unknown {
  return new Proxy(() => {}, {
    get: (_, key) => (key === Symbol.toPrimitive ? () => "" : anything()),
    apply: anything,
    construct: anything as () => object,
    set: () => true,
  });
}
