import { Activity } from "./activity.js";
import { type Chart, leftHeavyChart, nextMatch, pathOf, trackOf } from "./chart.js";
import { type KeyCommands, listenToChart, listenToKeys, type TimeCommands } from "./chart-keys.js";
import { ChartView, type FrameLabels, type Picture } from "./chart-view.js";
import { type Look, lookOf, type Settings, timeLegend } from "./colors.js";
import { listenToControls, readSettings, SearchBox, setView, showCrumbs, Theme } from "./controls.js";
import { showDetails, Tooltip } from "./details.js";
import { byId } from "./elements.js";
import { type FrameFacts, frameFacts, sideFacts, spokenFacts, titleOf } from "./frame-facts.js";
import { GraphCache, isSameChoice, type Matches, type Shown, sandwichOf, search } from "./graph.js";
import { foldLegend, showHeading, showLegend, showNotes, sideHint, sideNotes } from "./heading.js";
import { type Model, readModel } from "./model.js";
import { spanText, timeText, unitNoun } from "./number-text.js";
import { Overview } from "./overview.js";
import type { FlamePageData } from "./page-data.js";
import { PageHistory, type PlaceInPage } from "./page-state.js";
import { copyText, inTable, markdownTable, saveFile, svgOf } from "./share.js";
import { SourceView } from "./source-view.js";
import { nextMark, type OverTime } from "./strips.js";
import { TabBar, Tables, type TabName, tabOf } from "./table.js";
import {
  ALL_TIME,
  entered,
  left,
  type Ranges,
  shownRange,
  type TimeRange,
  withPicked,
} from "./thread-times.js";
import { timeChart } from "./time-chart.js";

/** With more threads, only the busiest one shows its frames over time at first. */
const OPEN_THREADS = 3;
/** How many rows of a table are copied. */
const COPIED_ROWS = 20;

/** The page: shows what the reader set, searched for and selected. */
class FlamePage {
  readonly #model: Model;
  readonly #labels: FrameLabels;
  readonly #tooltip = new Tooltip();
  readonly #theme: Theme;
  readonly #searchBox: SearchBox;
  readonly #source: SourceView;
  readonly #tables = new Tables();
  readonly #tabs: TabBar;
  readonly #main: ChartView;
  readonly #callers: ChartView;
  readonly #callees: ChartView;
  readonly #activity: Activity | undefined;
  readonly #overview: Overview | undefined;
  readonly #history = new PageHistory((place) => this.#goTo(place));
  readonly #keys: KeyCommands = {
    c: () => this.#openSandwich(),
    s: () => this.#openSource(),
    n: (isShifted) => this.#stepMatch(!isShifted),
    t: () => this.#toggleTable(),
    r: () => this.#toggleRange(),
    z: (isShifted) => (isShifted ? this.#leaveRange() : this.#enterRange()),
    m: (isShifted) => this.#stepMark(!isShifted),
    "/": () => this.#searchBox.focus(),
    "?": openHelp,
  };
  readonly #timeCommands: TimeCommands = {
    toggleThread: () => this.#toggleThread(),
    showRange: (range) => this.#pick(range),
  };
  /** The chart that was used last. */
  #active: ChartView;
  #settings: Settings;
  readonly #graphs: GraphCache;
  #shown: Shown;
  /** The frames of both sides; the same as `#shown` if the page has one side. */
  #whole: Shown;
  #allTime: Shown;
  #look: Look;
  #heavy: Chart | undefined;
  #time: Chart | undefined;
  #matches: Matches | undefined;
  /** The function of the sandwich view; -1 if none yet. */
  #function = -1;
  #ranges: Ranges = ALL_TIME;
  /** The threads whose frames are shown over time, and those at first. */
  #open: ReadonlySet<number>;
  readonly #openAtFirst: readonly number[];
  /** The time of the mark that the reader went to last, in microseconds. */
  #mark = -1;
  /** Whether the place that the address names is shown. */
  #isReady = false;
  /** The table beside the chart; undefined if it is closed. */
  #table: TabName | undefined;

  constructor(model: Model) {
    this.#model = model;
    const { times, data } = model;
    this.#labels = labelsOf(model);
    this.#openAtFirst = openAtFirst(model);
    this.#open = new Set(this.#openAtFirst);
    listenToControls(model, () => this.#change());
    const place = this.#history.read();
    this.#ranges = rangesIn(model, place.ranges);
    this.#settings = readSettings(model, this.#range);
    this.#graphs = new GraphCache(model);
    ({ shown: this.#shown, whole: this.#whole, allTime: this.#allTime } = this.#graphs.show(this.#settings));
    this.#theme = new Theme(() => this.#update());
    this.#look = lookOf(model, this.#shown, this.#theme.name, this.#settings);
    this.#searchBox = new SearchBox(
      () => {
        this.#find();
        this.#update();
      },
      (isForward) => this.#stepMatch(isForward),
    );
    this.#source = new SourceView(model);
    this.#tabs = new TabBar(model, (name) => {
      this.#table = name;
      this.#update();
    });
    this.#activity = times && new Activity(times);
    this.#overview =
      times &&
      this.#activity &&
      new Overview(times, this.#activity, {
        pick: (range) => this.#pick(range),
        enter: () => this.#enterRange(),
        leave: () => this.#leaveRange(),
        leaveTo: (depth) =>
          this.#setRanges({ within: this.#ranges.within.slice(0, depth), picked: undefined }),
      });
    this.#main = this.#makeView("charts", "Flame graph");
    this.#callers = this.#makeView("callers", "Callers");
    this.#callees = this.#makeView("callees", "Callees");
    this.#active = this.#main;
    listenToKeys(() => this.#active, this.#keys, this.#timeCommands);
    this.#listenToButtons();
    showHeading(data);
    foldLegend();
    this.#update();
    this.#selected(this.#main, -1);
    this.#goTo(place);
  }

  #makeView(host: string, name: string): ChartView {
    const label = `${name}. Use the arrow keys to move between frames.`;
    const view: ChartView = new ChartView(byId(host, HTMLElement), label, {
      selected: (box) => this.#selected(view, box),
      zoomed: (box) => this.#zoomed(view, box),
      hovered: (box, at) => this.#hovered(view, box, at),
      moved: () => this.#showOverview(),
    });
    view.canvas.addEventListener("focus", () => {
      this.#active = view;
    });
    listenToChart(view, this.#timeCommands);
    return view;
  }

  #listenToButtons(): void {
    const click = (id: string, action: () => void) =>
      byId(id, HTMLButtonElement).addEventListener("click", action);
    click("help-open", openHelp);
    click("table-open", () => this.#toggleTable());
    click("copy-link", () => this.#copy(location.href, "The link"));
    click("copy-markdown", () => this.#copy(this.#markdown(), "A text in Markdown"));
    click("save-svg", () => {
      const { picture, view, canvas } = this.#active;
      if (picture === undefined) return;
      const drawing = { title: this.#what(), picture, view, width: Math.max(400, canvas.clientWidth) };
      saveFile(`${this.#fileName()}.svg`, new Blob([svgOf(drawing)], { type: "image/svg+xml" }));
    });
    click("save-png", () => {
      this.#active.canvas.toBlob((blob) => {
        if (blob !== null) saveFile(`${this.#fileName()}.png`, blob);
      });
    });
    addEventListener("beforeprint", () => this.#onPaper(true));
    addEventListener("afterprint", () => this.#onPaper(false));
  }

  #onPaper(isOn: boolean): void {
    this.#theme.isOnPaper = isOn;
    for (const view of [this.#main, this.#callers, this.#callees]) view.paintNow();
  }

  #copy(text: string, what: string): void {
    void copyText(text).then((isCopied) => {
      const said = isCopied ? `${what} is copied.` : "The browser does not let the page copy.";
      this.#announce(said);
      this.#tooltip.showText({ title: said, lines: [] }, innerWidth / 2, 40);
      setTimeout(() => this.#tooltip.hide(), 2000);
    });
  }

  /** Returns what the page shows, for a heading. */
  #what(): string {
    const { data } = this.#model;
    const range = this.#range;
    const part = range ? `, ${spanText(range.from, range.to)}` : "";
    const view = { heavy: "flame graph", time: "over time", sandwich: "callers and callees" }[
      this.#settings.view
    ];
    return `${data.title}: ${view}${part}`;
  }

  #fileName(): string {
    return `${this.#model.data.title.replace(/[^\w.-]+/g, "-").slice(0, 60)}-${this.#settings.view}`;
  }

  #markdown(): string {
    const box = this.#active.selected;
    const facts = this.#factsOf(this.#active, box);
    const chart = this.#active.picture?.chart;
    const table = this.#table ?? "functions";
    if (this.#table === undefined && this.#settings.view !== "sandwich") this.#tables.show(this.#tab(table));
    const lines = [
      `**${inTable(this.#what())}**, ${inTable(byId("subtitle", HTMLParagraphElement).textContent ?? "")}`,
      ...(this.#searchBox.text === ""
        ? []
        : [
            `Search \`${this.#searchBox.text.replaceAll("`", "")}\`: ${byId("matches", HTMLOutputElement).value}`,
          ]),
      ...(facts === undefined || chart === undefined
        ? []
        : [
            pathOf(chart, box)
              .map((at) => inTable(titleOf(this.#model, chart.graph, chart.node[at]!)))
              .join(" › "),
            facts.amounts.map(({ name, text }) => `- ${name}: ${inTable(text)}`).join("\n"),
          ]),
      markdownTable(this.#tables.texts(COPIED_ROWS)),
    ];
    return `${lines.join("\n\n")}\n`;
  }

  /** Shows a place that a link leads to. The controls are set already. */
  #goTo(place: PlaceInPage): void {
    this.#isReady = false;
    this.#searchBox.text = place.query;
    this.#ranges = rangesIn(this.#model, place.ranges);
    this.#open = new Set(place.open ?? this.#openAtFirst);
    this.#time = undefined;
    this.#table = this.#tabs.has(place.table);
    if (place.function >= 0)
      this.#turnTo(place.function < this.#model.functions.length ? place.function : -1);
    this.#change(true);
    if (this.#settings.view !== "sandwich") this.#main.go(place);
    if (this.#settings.view === "time" && place.zoomed === undefined && this.#range !== undefined)
      this.#main.showTime(this.#range);
    this.#isReady = true;
    this.#history.stay(this.#place);
  }

  #save(): void {
    if (this.#isReady) this.#history.save(this.#place);
  }

  get #place(): PlaceInPage {
    const isMain = this.#settings.view !== "sandwich";
    const isOpenAsAtFirst =
      this.#openAtFirst.length === this.#open.size && this.#openAtFirst.every((one) => this.#open.has(one));
    return {
      query: this.#searchBox.text,
      ranges: this.#ranges,
      open: isOpenAsAtFirst ? undefined : Array.from(this.#open),
      zoomed: isMain ? this.#main.ways.zoomed : undefined,
      selected: isMain ? this.#main.ways.selected : undefined,
      function: isMain ? -1 : this.#function,
      table: this.#table ?? "",
    };
  }

  #change(isSearchNew = false): void {
    const before = this.#settings;
    this.#settings = readSettings(this.#model, this.#range);
    const selected = this.#selectedFunction;
    if (before.view !== "sandwich" && this.#settings.view === "sandwich" && selected >= 0)
      this.#turnTo(selected);
    const isSame = isSameChoice(before.choice, this.#settings.choice);
    if (!isSame) {
      const { shown, whole, allTime } = this.#graphs.show(this.#settings);
      if (allTime !== this.#allTime) this.#time = undefined;
      [this.#shown, this.#whole, this.#allTime] = [shown, whole, allTime];
      this.#heavy = undefined;
    }
    if (!isSame || isSearchNew) this.#find();
    this.#source.update(this.#whole, this.#settings.measure);
    this.#update();
    const isTime = this.#settings.view === "time" && before.view !== "time";
    if (isTime && this.#range !== undefined && this.#isReady) this.#main.showTime(this.#range);
  }

  get #range(): TimeRange | undefined {
    return shownRange(this.#ranges);
  }

  #pick(part: TimeRange | undefined): void {
    const { times } = this.#model;
    if (times !== undefined) this.#setRanges(withPicked(this.#ranges, times, part));
  }

  /** Goes into what is picked; over time, what is visible is picked then. */
  #enterRange(): void {
    if (this.#ranges.picked === undefined) this.#toggleRange();
    if (this.#ranges.picked !== undefined) this.#setRanges(entered(this.#ranges));
  }

  #leaveRange(): void {
    this.#setRanges(left(this.#ranges));
  }

  #setRanges(ranges: Ranges): void {
    this.#ranges = ranges;
    const range = this.#range;
    this.#change();
    const { times } = this.#model;
    if (times === undefined) return;
    if (this.#settings.view === "time") this.#main.showTime(range ?? times);
    this.#announce(range === undefined ? "All the time" : `All views show ${spanText(range.from, range.to)}`);
  }

  /** The part of the time that is visible, or that of the selected frame. */
  #toggleRange(): void {
    const { times } = this.#model;
    if (times === undefined) return;
    if (this.#settings.view !== "time") {
      this.#pick(undefined);
      return;
    }
    const { start, span } = this.#main.view;
    const isAll = span >= times.to - times.from;
    const { selected, picture } = this.#main;
    const seen = { from: Math.round(times.from + start), to: Math.round(times.from + start + span) };
    const chart = picture?.chart;
    const ofBox =
      isAll && selected > 0 && chart !== undefined
        ? {
            from: Math.round(times.from + chart.start[selected]!),
            to: Math.round(times.from + chart.start[selected]! + chart.span[selected]!),
          }
        : undefined;
    const range = ofBox ?? (isAll ? undefined : seen);
    const { picked } = this.#ranges;
    const isSame = range?.from === picked?.from && range?.to === picked?.to;
    this.#pick(isSame ? undefined : range);
  }

  #stepMark(isForward: boolean): void {
    const { picture, view } = this.#main;
    const overTime = picture?.overTime;
    const { times } = this.#model;
    if (picture === undefined || overTime === undefined || times === undefined) return;
    const [from, to] = [times.from + view.start, times.from + view.start + view.span];
    const isSeen = this.#mark >= from && this.#mark <= to;
    const mark = nextMark(overTime, picture.chart, isSeen ? this.#mark : isForward ? from : to, isForward);
    if (mark === undefined) {
      this.#announce(`No ${isForward ? "later" : "earlier"} mark`);
      return;
    }
    this.#mark = mark.at;
    this.#main.showTime({ from: mark.at - view.span / 2, to: mark.at + view.span / 2 });
    const said = `${timeText(mark.at)}: ${mark.text}`;
    this.#announce(said);
    this.#showDetails(said, undefined);
  }

  #toggleThread(): boolean {
    const { picture, selected } = this.#main;
    const chart = picture?.chart;
    if (this.#active !== this.#main || chart?.tracks === undefined || chart.tracks.length < 2) return false;
    const track = chart.tracks.find(({ box }) => box === selected);
    if (track === undefined) return false;
    const open = new Set(this.#open);
    if (!open.delete(track.thread)) open.add(track.thread);
    this.#open = open;
    this.#time = undefined;
    this.#update();
    return true;
  }

  #toggleTable(): void {
    if (this.#settings.view === "sandwich") return;
    this.#table = this.#table === undefined ? "functions" : undefined;
    this.#update();
    if (this.#table !== undefined) byId("tabs", HTMLFieldSetElement).querySelector("input")?.focus();
    else this.#active.canvas.focus();
  }

  #find(): void {
    const { query } = this.#searchBox;
    this.#matches = query && search(this.#model, this.#whole.graph, query);
    const { sides, data } = this.#model;
    this.#searchBox.show(this.#matches, { all: this.#total, sides: sides?.data, unit: data.unit });
  }

  /** The ticks that shares on frames are of: both sides, or all that is drawn where sides are as wide as their runs took. */
  get #partsOf(): number {
    const { sides } = this.#model;
    return sides === undefined || sides.data.perRun !== undefined ? this.#total : 2 * sides.data.unit;
  }

  get #total(): number {
    return this.#shown.graph.total[0]!;
  }

  #update(): void {
    const { view } = this.#settings;
    const { data, times, sides } = this.#model;
    this.#look = lookOf(this.#model, this.#shown, this.#theme.name, this.#settings);
    const hasRoot = view !== "sandwich" && this.#total > 0;
    const { palette } = this.#look;
    showLegend(this.#look.legend, this.#total, {
      others: view === "time" && times !== undefined ? timeLegend(times, palette) : [],
      root: hasRoot ? palette.root : undefined,
      unit: data.unit,
    });
    showNotes(data, view === "time" ? data.times : undefined, sideNotes(sides, this.#settings));
    for (const id of ["charts", "direction", "crumbs"]) byId(id, HTMLElement).hidden = view === "sandwich";
    byId("sandwich", HTMLElement).hidden = view !== "sandwich";
    this.#showTable();
    if (view === "sandwich") this.#showSandwich();
    else {
      this.#active = this.#main;
      this.#main.show(this.#picture(this.#mainChart(), this.#settings.isFlame));
    }
    this.#showOverview();
    this.#save();
  }

  #showOverview(): void {
    const { times } = this.#model;
    if (times === undefined || this.#overview === undefined) return;
    const { start, span } = this.#main.view;
    const { threads } = this.#settings.choice;
    const isPart = this.#settings.view === "time" && span < times.to - times.from;
    this.#overview.show({
      threads: times.threads.flatMap(({ length }, thread) => (threads[thread] && length > 0 ? [thread] : [])),
      ranges: this.#ranges,
      seen: isPart ? { from: times.from + start, to: times.from + start + span } : undefined,
      palette: this.#look.palette,
    });
  }

  #mainChart(): Chart {
    const { view, choice } = this.#settings;
    const { times } = this.#model;
    if (view === "time" && times !== undefined) {
      this.#time ??= timeChart(times, this.#allTime, { threads: choice.threads, open: this.#open });
      return this.#time;
    }
    this.#heavy ??= leftHeavyChart(this.#shown.graph);
    return this.#heavy;
  }

  #picture(chart: Chart, isFlame: boolean): Picture {
    return {
      chart,
      overTime: chart.tracks && this.#overTime,
      labels: this.#labels,
      all: this.#partsOf,
      look: this.#look,
      matches: this.#matches?.frames,
      isFlame,
    };
  }

  get #overTime(): OverTime | undefined {
    const { times, data } = this.#model;
    if (times === undefined || this.#activity === undefined) return undefined;
    return { times, activity: this.#activity, range: this.#range, unit: data.unit };
  }

  #showTable(): void {
    const isSandwich = this.#settings.view === "sandwich";
    const name = isSandwich ? "functions" : this.#table;
    byId("table", HTMLElement).hidden = name === undefined;
    const opener = byId("table-open", HTMLButtonElement);
    opener.hidden = isSandwich;
    opener.setAttribute("aria-expanded", String(name !== undefined));
    this.#tabs.show(isSandwich ? undefined : name);
    if (name !== undefined) this.#tables.show(this.#tab(name));
  }

  #tab(name: TabName) {
    return tabOf(name, {
      model: this.#model,
      shown: this.#whole,
      matches: this.#matches?.functions,
      places: this.#labels.places,
      range: this.#range,
      threads: this.#settings.choice.threads,
      measure: this.#settings.measure,
      openFunction: (id) => this.#openFunction(id),
      openPackage: (origin) => this.#searchFor(`package:^${escaped(origin)}$`),
      openLine: (id) => {
        if (this.#source.has(id)) this.#source.open(id, this.#whole, this.#settings.measure);
        else this.#openFunction(id);
      },
      openRange: (range) => this.#pick(range),
    });
  }

  #searchFor(text: string): void {
    this.#searchBox.text = text;
    this.#find();
    this.#update();
  }

  #showSandwich(): void {
    const { titles } = this.#model.functions;
    const { graph } = this.#shown;
    const { sums } = this.#whole;
    const first = this.#tables.order[0] ?? -1;
    if (this.#function < 0) this.#function = first;
    // A function whose frames are hidden comes back with them.
    const id = sums.total[this.#function] ? this.#function : first;
    this.#tables.mark(id);
    const { callers, callees } = sandwichOf(graph, id, titles);
    const title = titles[id] ?? "no function";
    for (const half of ["Callers", "Callees"])
      byId(`${half.toLowerCase()}-title`, HTMLHeadingElement).textContent = `${half} of ${title}`;
    // Callers are above the function, callees below it. The search applies to the list beside them.
    this.#callers.show({ ...this.#picture(leftHeavyChart(callers), true), matches: undefined });
    this.#callees.show({ ...this.#picture(leftHeavyChart(callees), false), matches: undefined });
    if (this.#callees.selected < 0 && this.#callers.selected < 0) {
      this.#active = this.#callees;
      this.#callees.select(id < 0 ? -1 : 0);
    }
  }

  #openSandwich(): void {
    this.#openFunction(this.#selectedFunction);
  }

  #openFunction(id: number): void {
    if (id < 0) return;
    this.#turnTo(id);
    if (this.#settings.view === "sandwich") {
      this.#showSandwich();
      this.#save();
    } else setView("sandwich");
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
      this.#openFunction(this.#tables.next(this.#function, isForward));
      return;
    }
    const box = nextMatch(chart, this.#matches.frames, view.selected, isForward);
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
        : this.#range === undefined
          ? `No ${unitNoun(this.#model.data.unit)} to show. Choose a thread under Threads.`
          : `No ${unitNoun(this.#model.data.unit)} in this part of the time.`;
    this.#showDetails(facts ?? hint, this.#noSource(this.#selectedFunction));
    if (view === this.#main && chart !== undefined) this.#showPath(chart, view.zoomed);
    if (facts !== undefined && chart !== undefined)
      this.#announce(spokenFacts(facts, chart.graph.depth[chart.node[box]!]!));
    this.#save();
  }

  #showDetails(facts: FrameFacts | string, noSource: string | undefined): void {
    showDetails(facts, noSource, {
      openSandwich: () => this.#openSandwich(),
      openSource: () => this.#openSource(),
    });
  }

  #zoomed(view: ChartView, box: number): void {
    const chart = view.picture?.chart;
    if (view !== this.#main || chart === undefined) return;
    this.#showPath(chart, box);
    this.#save();
  }

  #showPath(chart: Chart, zoomed: number): void {
    const view = this.#main;
    const ofSelected = view.selected < 0 ? [] : pathOf(chart, view.selected);
    const path = ofSelected.includes(zoomed) ? ofSelected : pathOf(chart, zoomed);
    const crumbs = path.map((box) => ({ box, title: this.#titleOf(chart, box) }));
    showCrumbs(crumbs, zoomed, (box) => {
      view.zoomTo(box);
      view.canvas.focus();
    });
  }

  #titleOf(chart: Chart, box: number): string {
    const thread = chart.tracks?.find((track) => track.box === box)?.thread;
    if (box > 0 && thread !== undefined) return this.#labels.threads[thread]!;
    return titleOf(this.#model, chart.graph, chart.node[box]!);
  }

  #hovered(
    view: ChartView,
    box: number,
    { x, y, strip }: Parameters<ConstructorParameters<typeof ChartView>[2]["hovered"]>[1],
  ): void {
    const facts = this.#factsOf(view, box);
    if (strip !== undefined) this.#tooltip.showText(strip, x, y);
    else if (facts === undefined) this.#tooltip.hide();
    else this.#tooltip.show(facts, x, y);
  }

  #factsOf(view: ChartView, box: number): FrameFacts | undefined {
    const chart = view.picture?.chart;
    if (chart === undefined || box < 0 || chart.graph.total[0] === 0) return undefined;
    const isCallers = view === this.#callers;
    // Over time there is all the time, whatever part of it the other views show.
    const { graph, sums } = chart.tracks === undefined ? this.#shown : this.#allTime;
    const scale = { all: graph.total[0]!, sums, isCallers, times: chart.tracks && this.#model.times };
    const facts = frameFacts(this.#model, chart, box, scale);
    const { sides, data } = this.#model;
    if (sides !== undefined) return sideFacts(facts, chart, box, { sides, whole: this.#whole, isCallers });
    const track =
      chart.tracks && box > 0 && chart.node[box] === 0 ? trackOf(chart, chart.depth[box]!) : undefined;
    if (track === undefined) return facts;
    // A thread.
    const span = facts.amounts.filter(({ name }) => name === "In this span");
    return { ...facts, title: data.threads[track.thread]!.title, amounts: span };
  }

  #announce(text: string): void {
    byId("announcer", HTMLDivElement).textContent = text;
  }
}

/** Returns ranges without those in which there is nothing, or all. */
function rangesIn({ times }: Model, { within, picked }: Ranges): Ranges {
  if (times === undefined) return ALL_TIME;
  const inner = within.reduce((all, range) => entered(withPicked(all, times, range)), ALL_TIME);
  return withPicked(inner, times, picked);
}

/** Returns what stands in frames. */
function labelsOf({ data, functions }: Model): FrameLabels {
  const places = functions.titles.map((title, id) => {
    const file = data.files[functions.file[id]!];
    if (file === undefined || functions.line[id] === 0) return "";
    const place = `${file.slice(Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")) + 1)}:${functions.line[id]}`;
    return title.includes(place) ? "" : place;
  });
  const app = data.origins.indexOf("app");
  return {
    titles: functions.titles,
    places,
    isOwn: Uint8Array.from(functions.origin, (origin) => (origin === app ? 1 : 0)),
    threads: data.threads.map(({ title }) => title),
    root: `all ${unitNoun(data.unit)}`,
  };
}

function openAtFirst({ data, times }: Model): number[] {
  const busy = data.threads.flatMap(({ ticks }, thread) =>
    (times?.threads[thread]?.length ?? 0) > 0 ? [{ ticks, thread }] : [],
  );
  const order = busy.sort((a, b) => b.ticks - a.ticks || a.thread - b.thread);
  return (order.length > OPEN_THREADS ? order.slice(0, 1) : order).map(({ thread }) => thread);
}

/** Returns a pattern that finds a text, which has no spaces then. */
function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&").replace(/\s/g, "\\s");
}

function openHelp(): void {
  byId("help", HTMLDialogElement).showModal();
}

const data = JSON.parse(byId("data", HTMLScriptElement).textContent ?? "") as FlamePageData;
new FlamePage(readModel(data));
