import type { AgentResult, Agents } from '../../src/agent/agent.ts';
import type { JsonValue } from '../../src/json/json.ts';
import { unitKey } from '../../src/pipeline/pipeline.ts';
import type { Random } from './random.ts';
import type { AttemptDirectory, TestFolder, World } from './world.ts';

interface Value {
  readonly output?: JsonValue;
}

/** The parts of `request.json` that the simulation knows. */
interface RequestDocument {
  readonly gate: string;
  readonly leg: string;
  readonly definition: { readonly run: string };
  readonly handedOn: Readonly<Record<string, string | null>>;
  readonly needs: Readonly<Record<string, Value & { readonly legs?: Readonly<Record<string, Value>> }>>;
  readonly rework?: { readonly from: readonly (Value & { readonly gate: string })[] };
}

/** What an agent leaves: an exit code, and what it wrote to its output file. */
export interface Answer {
  readonly exitCode?: number;
  readonly output?: JsonValue;
}

/** What an agent does. It is killed wherever it waits. */
export type Behavior = (agent: SimulatedAgent) => Promise<Answer>;

/** A process that works in the folder. The record of what it really read and wrote is for the oracle. */
export class SimulatedAgent {
  readonly pid: number;
  /** Of the attempt's directory, by name. */
  readonly files: AttemptDirectory;
  readonly unit: string;
  /** In which it works. */
  readonly folder: TestFolder;
  readonly request: RequestDocument;
  readonly reads = new Map<string, string | null>();
  /** Path → the contents before its first and after its last write. */
  readonly writes = new Map<string, [before: string | null, after: string | null]>();
  state: 'prepared' | 'running' | 'over' = 'prepared';
  answer: Answer | undefined;
  readonly #crew: Crew;
  #unfinished: readonly [path: string, before: string | null] | undefined;

  constructor(crew: Crew, pid: number, files: AttemptDirectory) {
    this.#crew = crew;
    this.pid = pid;
    this.files = files;
    this.folder = crew.world.place;
    this.request = JSON.parse(new TextDecoder().decode(files.get('request.json'))) as RequestDocument;
    this.unit = unitKey(this.request.gate, this.request.leg);
  }

  /** Output values of its needs, by unit; `null`: none. */
  get needs(): Record<string, JsonValue> {
    const pairs = Object.entries(this.request.needs).flatMap(([gate, { legs, output }]): [string, Value][] =>
      legs ? Object.entries(legs).map(([leg, value]) => [unitKey(gate, leg), value]) : [[gate, { output }]],
    );
    return Object.fromEntries(pairs.map(([key, { output }]) => [key, output ?? null]));
  }

  /** Outputs that sent the work back, as {@link noteText}; undefined: nobody did. */
  get note(): string | undefined {
    const { rework } = this.request;
    return rework && noteText(rework.from.map(({ gate, output }) => [gate, output ?? null]));
  }

  /** Waits for its turn; never again once it was killed. */
  tick(): Promise<void> {
    return this.#crew.wait(this);
  }

  read(path: string): string | null {
    const content = this.folder.read(path);
    this.reads.set(path, content);
    return content;
  }

  /** In memory it is done at once. */
  async write(path: string, content: string | null): Promise<void> {
    const before = this.folder.read(path);
    if (this.state === 'over' || before === content) return;
    this.#unfinished = [path, before];
    this.writes.set(path, [this.writes.has(path) ? this.writes.get(path)![0] : before, content]);
    const work = this.#crew.world.write(this, path, content);
    if (work !== undefined) await work;
    this.finishWrite();
  }

  /** The agent has written, or was killed while it did. */
  finishWrite(): void {
    if (this.#unfinished === undefined) return;
    const [path, before] = this.#unfinished;
    this.#unfinished = undefined;
    const content = this.folder.read(path);
    this.writes.set(path, [this.writes.get(path)![0], content]);
    this.folder.writers.set(path, this.unit);
    this.#crew.onWrite(this, path, before, content);
  }
}

/** All agents of a folder: those of the present call, and those that outlived theirs. */
export class Crew {
  readonly agents: SimulatedAgent[] = [];
  readonly world: World;
  readonly #behaviorOf: (unit: string) => Behavior;
  readonly #waiting: { readonly agent: SimulatedAgent; readonly resume: () => void }[] = [];
  onWrite: (agent: SimulatedAgent, path: string, before: string | null, after: string | null) => void = () => {};
  onOver: (agent: SimulatedAgent) => void = () => {};

  constructor(world: World, behaviorOf: (unit: string) => Behavior) {
    this.world = world;
    world.crew = this;
    this.#behaviorOf = behaviorOf;
  }

  get live(): SimulatedAgent[] {
    return this.agents.filter(({ state }) => state === 'running');
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  wait(agent: SimulatedAgent): Promise<void> {
    return new Promise((resume) => this.#waiting.push({ agent, resume }));
  }

  /** Lets one agent go on. @returns whether any was waiting */
  step(random: Random): boolean {
    const next = random.draw(this.#waiting);
    if (next?.agent.state === 'running') next.resume();
    return next !== undefined;
  }

  /** Agents that had not got their word end with their engine. */
  dropPrepared(): void {
    for (const agent of this.agents) if (agent.state === 'prepared') agent.state = 'over';
  }

  /** Agents in memory. */
  port(): Agents {
    return {
      prepare: async (task) => {
        const agent = this.agentIn(task.directory);
        return { process: { pid: agent.pid, start: 'now' }, run: () => this.#run(agent) };
      },
      endLeftover: async ({ pid }) => this.end(this.agents[pid]),
      isAlive: async ({ pid }) => this.agents[pid]?.state === 'running',
    };
  }

  /** The newest agent of an attempt, made from its request. */
  agentIn(directory: string): SimulatedAgent {
    const files = this.world.state.directories.get(directory)!;
    let agent = this.agents.find((each) => each.files === files);
    if (agent === undefined) this.agents.push((agent = new SimulatedAgent(this, this.agents.length, files)));
    return agent;
  }

  /** Lets an agent work to its end. Never settles if it is killed. */
  async work(agent: SimulatedAgent): Promise<Answer> {
    agent.state = 'running';
    const answer = await this.#behaviorOf(agent.unit)(agent);
    if (agent.state !== 'running') return new Promise(() => {});
    if (answer.output !== undefined) agent.files.set('output.json', Buffer.from(JSON.stringify(answer.output)));
    agent.answer = answer;
    this.end(agent);
    return answer;
  }

  async #run(agent: SimulatedAgent): Promise<AgentResult> {
    const { exitCode = 0 } = await this.work(agent);
    return { stdout: '', stderr: '', ms: 10, outcome: 'exited', exitCode };
  }

  end(agent: SimulatedAgent | undefined): void {
    if (agent?.state === 'running') {
      agent.state = 'over';
      agent.finishWrite();
      this.onOver(agent);
    } else if (agent) agent.state = 'over';
  }
}

/** Outputs of reviews by unit, as JSON. */
export function noteText(outputs: readonly (readonly [unit: string, output: JsonValue])[]): string {
  return JSON.stringify([...outputs].sort(([a], [b]) => (a < b ? -1 : 1)));
}
