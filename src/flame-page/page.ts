import { type Chart, leftHeavyChart, nextMatch, pathOf } from "./chart.js";
import { type ChartCommands, listenToChart, listenToKeys } from "./chart-keys.js";
import { ChartView, type Picture } from "./chart-view.js";
import { type Look, lookOf, type Settings } from "./colors.js";
import { listenToControls, readSettings, SearchBox, setView, showCrumbs, Theme } from "./controls.js";
import { showDetails, Tooltip } from "./details.js";
import { byId } from "./elements.js";
import { type FrameFacts, frameFacts, sideFacts, spokenFacts, titleOf } from "./frame-facts.js";
import { FunctionList, listColumns } from "./function-list.js";
import { GraphCache, isSameChoice, type Matches, type Shown, sandwichOf, search } from "./graph.js";
import { showHeading, showLegend, showNotes, sideHint, sideNotes } from "./heading.js";
import { type Model, readModel } from "./model.js";
import type { PageData } from "./page-data.js";
import { SideSourceView, SourceView } from "./source-view.js";
import { type TimeChart, timeChart } from "./time-chart.js";

/** The page: shows what the reader set, searched for and selected. */
class FlamePage {
  readonly #model: Model;
  readonly #tooltip = new Tooltip();
  readonly #theme: Theme;
  readonly #searchBox: SearchBox;
  readonly #source: SourceView | SideSourceView;
  readonly #functions: FunctionList;
  readonly #main: ChartView;
  readonly #callers: ChartView;
  readonly #callees: ChartView;
  readonly #commands: ChartCommands = {
    openSandwich: () => this.#openFunction(this.#selectedFunction),
    openSource: () => this.#openSource(),
    stepMatch: (isForward) => this.#stepMatch(isForward),
    focusSearch: () => this.#searchBox.focus(),
    openHelp,
  };
  /** The chart that was used last. */
  #active: ChartView;
  #settings: Settings;
  readonly #graphs: GraphCache;
  #shown: Shown;
  /** The frames of both sides; the same as `#shown` if the page has one side. */
  #whole: Shown;
  #look: Look;
  #heavy: Chart | undefined;
  #time: TimeChart | undefined;
  #matches: Matches | undefined;
  /** The function of the sandwich view; -1 if none yet. */
  #function = -1;

  constructor(model: Model) {
    this.#model = model;
    listenToControls(model, () => this.#change());
    this.#settings = readSettings(model);
    this.#graphs = new GraphCache(model);
    ({ shown: this.#shown, whole: this.#whole } = this.#graphs.show(this.#settings));
    this.#theme = new Theme(() => this.#update());
    this.#look = lookOf(this.#model, this.#shown, this.#theme.name, this.#settings);
    this.#searchBox = new SearchBox(
      () => {
        this.#find();
        this.#update();
      },
      (isForward) => this.#stepMatch(isForward),
    );
    this.#source = model.sides === undefined ? new SourceView(model) : new SideSourceView(model, model.sides);
    this.#functions = new FunctionList(model, (id) => this.#openFunction(id));
    this.#main = this.#makeView("charts", "Flame graph");
    this.#callers = this.#makeView("callers", "Callers");
    this.#callees = this.#makeView("callees", "Callees");
    this.#active = this.#main;
    listenToKeys(() => this.#active, this.#commands);
    showHeading(model.data);
    this.#update();
    this.#selected(this.#main, -1);
  }

  #makeView(host: string, name: string): ChartView {
    const label = `${name}. Use the arrow keys to move between frames.`;
    const view: ChartView = new ChartView(byId(host, HTMLElement), label, {
      selected: (box) => this.#selected(view, box),
      zoomed: (box) => this.#zoomed(view, box),
      hovered: (box, x, y) => this.#hovered(view, box, x, y),
    });
    view.canvas.addEventListener("focus", () => {
      this.#active = view;
    });
    listenToChart(view);
    return view;
  }

  #change(): void {
    const before = this.#settings;
    this.#settings = readSettings(this.#model);
    const selected = this.#selectedFunction;
    if (before.view !== "sandwich" && this.#settings.view === "sandwich" && selected >= 0)
      this.#turnTo(selected);
    if (!isSameChoice(before.choice, this.#settings.choice)) {
      ({ shown: this.#shown, whole: this.#whole } = this.#graphs.show(this.#settings));
      this.#heavy = undefined;
      this.#time = undefined;
      this.#find();
    }
    this.#source.update(this.#whole, this.#settings.measure);
    this.#update();
  }

  #find(): void {
    const { pattern } = this.#searchBox;
    this.#matches = pattern && search(this.#model, this.#whole.graph, pattern);
    const { sides } = this.#model;
    this.#searchBox.show(this.#matches, sides === undefined ? this.#total : 2 * sides.data.unit);
  }

  get #total(): number {
    return this.#shown.graph.total[0]!;
  }

  #update(): void {
    const { view } = this.#settings;
    this.#look = lookOf(this.#model, this.#shown, this.#theme.name, this.#settings);
    const hasRoot = view !== "sandwich" && this.#total > 0;
    showLegend(this.#look.legend, this.#total, hasRoot ? this.#look.palette.root : undefined);
    const slice = view === "time" ? this.#model.slices?.size : undefined;
    showNotes(this.#model.data, slice, sideNotes(this.#model.sides, this.#settings));
    for (const id of ["charts", "direction", "crumbs"]) byId(id, HTMLElement).hidden = view === "sandwich";
    byId("sandwich", HTMLElement).hidden = view !== "sandwich";
    if (view === "sandwich") this.#showSandwich();
    else {
      this.#active = this.#main;
      this.#main.show(this.#picture(this.#mainChart(), this.#settings.isFlame));
    }
  }

  #mainChart(): TimeChart {
    const { view, choice } = this.#settings;
    if (view === "time") {
      this.#time ??= timeChart(this.#model, this.#shown, choice.threads);
      return this.#time;
    }
    this.#heavy ??= leftHeavyChart(this.#shown.graph);
    return { chart: this.#heavy, marks: [] };
  }

  #picture({ chart, marks }: TimeChart, isFlame: boolean): Picture {
    return {
      chart,
      marks,
      titles: this.#model.functions.titles,
      look: this.#look,
      matches: this.#matches?.functions,
      isFlame,
    };
  }

  #showSandwich(): void {
    const { titles } = this.#model.functions;
    const { graph } = this.#shown;
    const { sums } = this.#whole;
    const columns = listColumns(this.#model, this.#whole, this.#settings.measure);
    this.#functions.show(columns, this.#matches?.functions);
    if (this.#function < 0) this.#function = this.#functions.first;
    // A function whose frames are hidden comes back with them.
    const id = sums.total[this.#function] ? this.#function : this.#functions.first;
    this.#functions.mark(id);
    const { callers, callees } = sandwichOf(graph, id, titles);
    const title = titles[id] ?? "no function";
    for (const half of ["Callers", "Callees"])
      byId(`${half.toLowerCase()}-title`, HTMLHeadingElement).textContent = `${half} of ${title}`;
    // Callers are above the function, callees below it. The search applies to the list beside them.
    this.#callers.show({
      ...this.#picture({ chart: leftHeavyChart(callers), marks: [] }, true),
      matches: undefined,
    });
    this.#callees.show({
      ...this.#picture({ chart: leftHeavyChart(callees), marks: [] }, false),
      matches: undefined,
    });
    if (this.#callees.selected < 0 && this.#callers.selected < 0) {
      this.#active = this.#callees;
      this.#callees.select(id < 0 ? -1 : 0);
    }
  }

  #openFunction(id: number): void {
    if (id < 0) return;
    this.#turnTo(id);
    if (this.#settings.view === "sandwich") this.#showSandwich();
    else setView("sandwich");
    this.#announce(`Callers and callees of ${this.#model.functions.titles[id]}`);
  }

  /** Makes a function the one of the sandwich view. */
  #turnTo(id: number): void {
    this.#function = id;
    for (const view of [this.#callers, this.#callees]) view.reset();
  }

  get #selectedFunction(): number {
    const { picture, selected } = this.#active;
    return picture === undefined || selected < 0
      ? -1
      : picture.chart.graph.function[picture.chart.node[selected]!]!;
  }

  #openSource(): void {
    const id = this.#selectedFunction;
    if (this.#source.has(id)) this.#source.open(id, this.#whole, this.#settings.measure);
    else this.#announce(`The source of this frame is not available: ${this.#noSource(id) ?? ""}`);
  }

  /** Returns why the page has no source of a function; undefined if it has. */
  #noSource(id: number): string | undefined {
    if (this.#source.has(id)) return undefined;
    if ((this.#model.functions.file[id] ?? -1) < 0) return "it is no function of a script";
    const isLeftOut = this.#model.data.merged.sources > 0;
    return isLeftOut ? "not in the log, or it did not fit" : "not in the log";
  }

  #stepMatch(isForward: boolean): void {
    const view = this.#main;
    const chart = view.picture?.chart;
    if (this.#matches === undefined || chart === undefined) return;
    if (this.#settings.view === "sandwich") {
      this.#openFunction(this.#functions.next(this.#function, isForward));
      return;
    }
    const box = nextMatch(chart, this.#matches.functions, view.selected, isForward);
    if (box >= 0) view.select(box);
  }

  #selected(view: ChartView, box: number): void {
    const chart = view.picture?.chart;
    const facts = this.#factsOf(view, box);
    if (box >= 0) this.#active = view;
    else if (view !== this.#active) return;
    const hint =
      this.#total > 0
        ? sideHint(this.#model.sides, "Click a frame or use the arrow keys to select one.")
        : "No ticks to show. Choose a thread under Threads.";
    showDetails(facts ?? hint, this.#noSource(this.#selectedFunction), this.#commands);
    if (facts !== undefined && chart !== undefined) this.#announce(spokenFacts(facts, chart.depth[box]!));
  }

  #zoomed(view: ChartView, box: number): void {
    const chart = view.picture?.chart;
    if (view !== this.#main || chart === undefined) return;
    const crumbs = pathOf(chart, box).map((at) => ({
      box: at,
      title: titleOf(this.#model, chart.graph, chart.node[at]!),
    }));
    showCrumbs(crumbs, (at) => {
      view.zoomTo(at);
      view.canvas.focus();
    });
  }

  #hovered(view: ChartView, box: number, x: number, y: number): void {
    const facts = this.#factsOf(view, box);
    if (facts === undefined) this.#tooltip.hide();
    else this.#tooltip.show(facts, x, y);
  }

  #factsOf(view: ChartView, box: number): FrameFacts | undefined {
    const chart = view.picture?.chart;
    if (chart === undefined || box < 0 || this.#total === 0) return undefined;
    const isCallers = view === this.#callers;
    const facts = frameFacts(this.#model, chart, box, {
      all: this.#total,
      sums: this.#shown.sums,
      isCallers,
    });
    const { sides } = this.#model;
    return sides ? sideFacts(facts, chart, box, { sides, whole: this.#whole, isCallers }) : facts;
  }

  #announce(text: string): void {
    byId("announcer", HTMLDivElement).textContent = text;
  }
}

function openHelp(): void {
  byId("help", HTMLDialogElement).showModal();
}

const data = JSON.parse(byId("data", HTMLScriptElement).textContent ?? "") as PageData;
new FlamePage(readModel(data));
byId("help-open", HTMLButtonElement).addEventListener("click", openHelp);
