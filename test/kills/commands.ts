import { writeFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Gateline } from '../../src/gateline.ts';
import type { Entry } from '../../src/run/entry.ts';
import type { Project } from './project.ts';

/** Something that the user does in a project. */
export type Step = (gateline: Gateline, project: Project) => unknown;

/** A command that writes, in a project where it has something to do. */
export interface Command {
  readonly name: string;
  /** Of the project. */
  readonly files: Readonly<Record<string, string>>;
  readonly prepare?: Step;
  readonly run: Step;
  /** An entry that says that it is done: else the user calls it again after a kill. Default: none says so. */
  readonly isDone?: (entry: Entry) => boolean;
  /** What the user does then. */
  readonly finish: Step;
  /** More that must be the same in the end. */
  readonly extra?: Step;
}

const by = { actor: 'a person', reason: 'a reason' };

/** A reader of all files; an editor, whose work is a draft while the notes are hard and nobody reviewed it; a review. */
const pipeline = ({ top = '', review = '', write = '' } = {}): string => `
pipeline: kills
${top}
gates:
  read:
    run: echo read >> "$AGENTS"; printf '{"notes":"%s"}' "$(cat notes.txt)" > "$GATELINE_OUTPUT"
  write:
    needs: read
    run: |
      echo write >> "$AGENTS"
      word=good; grep -q hard notes.txt && ! grep -q '"rework":' "$GATELINE_REQUEST" && word=draft
      mkdir -p made; cp notes.txt made/copy.txt; echo $word > made/word.txt; ${write}
      echo "{\\"word\\":\\"$word\\"}" > "$GATELINE_OUTPUT"
    inputs: [notes.txt]
    files: [made/**]
  review:
    needs: write
    run: |
      echo review >> "$AGENTS"
      score=90; grep -q draft made/word.txt && score=40
      echo "{\\"score\\":$score,\\"of\\":\\"$(cat made/copy.txt)\\"}" > "$GATELINE_OUTPUT"
    inputs: []
    output: {score: /score}
    ${review}
`;

const EASY = { 'gateline.yml': pipeline(), 'notes.txt': 'easy\n' };
const HARD = {
  'gateline.yml': pipeline({ review: 'on-fail: {goto: write, max-iterations: 3}' }),
  'notes.txt': 'hard\n',
};
const APPROVED = { ...EASY, 'gateline.yml': pipeline({ review: 'approval: required' }) };
const DATABASE = `{save: cp data "$GATELINE_DATABASE", restore: cp "$GATELINE_DATABASE" data}`;
const WITH_DATABASE = {
  'gateline.yml': pipeline({ top: `snapshots: {database: ${DATABASE}}`, write: 'echo new > data' }),
  'notes.txt': 'easy\n',
  data: 'old\n',
  '.gitignore': 'data\n',
};
const WITH_SETUP = {
  ...EASY,
  'gateline.yml': pipeline({ top: 'setup: echo ready > ready', write: 'cp ready made' }),
  '.gitignore': 'ready\n',
};

const reader = (gate: string, needs: string): string => `
  ${gate}:
    run: echo ${gate} >> "$AGENTS"; printf '{"notes":"%s"}' "$(cat notes.txt)" > "$GATELINE_OUTPUT"
    inputs: [notes.txt]
    needs: [${needs}]
`;
/** Its state files are kept beside the log: the guide's and the Markdown checkpoints. */
const MIRRORED = {
  'gateline.yml': `
mirror: [state-guide]
metadata: {domain: shop, feature: basket}
ignore: [old/**]
gates:${reader('data', '')}${reader('design', 'data')}`,
  'notes.txt': 'easy\n',
};

/** A page needs a session, which is set up for it; gates make and use one too. */
const WITH_ENTITIES = {
  'gateline.yml': `
entities: {session: , page: {depends-on: session}}
commands:
  login: {syntax: sh login.sh, creates: session}
  open: {syntax: sh open.sh, requires: session, creates: page, on-invalid: recover}
  logout: {syntax: sh logout.sh, invalidates: session}
gates:
  start: {run: 'echo start >> "$AGENTS"; sh login.sh > "$GATELINE_OUTPUT"', creates: session, inputs: [login.sh]}
  use: {run: 'echo use >> "$AGENTS"; cp "$GATELINE_ENTITIES" "$GATELINE_OUTPUT"', requires: session, needs: start, inputs: []}`,
  'login.sh': `echo '{"user":"ada"}'`,
  'open.sh': `echo open >> "$AGENTS"; cat "$GATELINE_ENTITIES"`,
  'logout.sh': 'echo logout >> "$AGENTS"',
};

const decided = (name: string) => (entry: Entry) => entry.kind === 'decided' && entry.decision === name;
const decide =
  (decision: 'approve' | 'reject' | 'skip' | 'force' | 'pause' | 'close', unit?: string): Step =>
  (gateline) =>
    gateline.decide(decision, by, unit);
const run: Step = (gateline) => gateline.run();
const runToWrite: Step = (gateline) => gateline.run({ until: ['write'] });
const resume: Step = (gateline) => gateline.resume({ by });
const steps =
  (...all: readonly Step[]): Step =>
  async (gateline, project) => {
    for (const step of all) await step(gateline, project);
  };
const edit =
  (text: string): Step =>
  (_, project) =>
    project.write('notes.txt', `${text}\n`);

const begin: Step = async (gateline, project) => {
  const begun = await gateline.begin('write');
  if (begun.choice !== 'run') throw new Error(`nothing to begin: ${begun.reason}`);
  project.write('../begun', JSON.stringify(begun));
};
const begunIn = (project: Project) => JSON.parse(project.read('../begun')) as { token: string; directory: string };
/** What the agent between `begin` and `complete` does. */
const work: Step = (_, project) => {
  project.noteAgent('write');
  project.write('made/copy.txt', project.read('notes.txt'));
  project.write('made/word.txt', 'good\n');
  writeFileSync(join(begunIn(project).directory, 'output.json'), '{"word":"good"}');
};
const complete: Step = (gateline, project) => gateline.complete(begunIn(project).token);

/** Moves the guide's file of the first gate away, and removes all else of `.state`. */
const keepOneStateFile: Step = async (_, { folder }) => {
  const [state, old] = [join(folder, '.state'), join(folder, 'old')];
  await mkdir(old);
  for (const name of await readdir(state))
    if (name.endsWith('-gate0-output.json')) await rename(join(state, name), join(old, name));
  await rm(state, { recursive: true });
};

/** The end of the first gate cannot be read. */
const spoilLog: Step = (_, project) =>
  project.write('.state/log.jsonl', project.read('.state/log.jsonl').replace(/\n.*"kind":"ended".*\n/, '\nno entry\n'));

/** The state files of the guide say how the run stands in the end. */
const listStateFiles: Step = async (_, project) => {
  const names = (await readdir(join(project.folder, '.state'))).filter((name) => /^shop.*\.(?:json|md)$/.test(name));
  const statusOf = (text: string): string | undefined => /"status": ?"\w+"/.exec(text)?.[0];
  return names.toSorted().map((name) => [name, statusOf(project.read(`.state/${name}`))]);
};

/** What nothing needs any more is gone in the end. */
const listState: Step = async (_, { folder }) => {
  const names = await readdir(join(folder, '.state'), { recursive: true });
  return names.filter((name) => /^(?:content|checkpoints|attempts|git\/refs)\//.test(name)).toSorted();
};

const listEntities: Step = async (gateline) =>
  (await gateline.entities.list()).map(({ entity, instance, status, value }) => ({ entity, instance, status, value }));
const resetAll: Step = (gateline) => gateline.entities.reset(undefined, by);
const openPage: Step = (gateline) => gateline.entities.do('open');
const entities = { files: WITH_ENTITIES, prepare: run, finish: () => undefined, extra: listEntities };
const withPage = { ...entities, prepare: steps(run, openPage) };

const noteFiles: Step = (_, project) => project.write('../files', JSON.stringify(project.files()));
const rollback = {
  prepare: run,
  isDone: decided('rollback'),
  finish: steps(noteFiles, resume),
  extra: (_: Gateline, project: Project) => project.read('../files'),
};

export const RUNS = createCommands([
  { name: 'run', files: HARD, run },
  { name: 'run, with state files', files: MIRRORED, run, extra: listStateFiles },
  { name: 'run, which puts files back', prepare: steps(run, edit('other'), run, edit('easy')), run },
  {
    name: 'run --isolated',
    files: WITH_SETUP,
    run: (gateline) => gateline.run({ isolated: true }),
    finish: steps((gateline) => gateline.apply(), run),
  },
  {
    name: 'begin',
    prepare: (gateline) => gateline.run({ until: ['read'] }),
    run: begin,
    finish: steps(begin, work, complete, run),
  },
  { name: 'run, with entities', files: WITH_ENTITIES, run, extra: listEntities },
  {
    name: 'complete',
    prepare: steps((gateline) => gateline.run({ until: ['read'] }), begin, work),
    run: complete,
    isDone: (entry) => entry.kind === 'ended',
  },
]);

export const OTHERS = createCommands([
  { name: 'approve', files: APPROVED, prepare: run, run: decide('approve', 'review'), isDone: decided('approve') },
  { name: 'reject', prepare: run, run: decide('reject', 'write'), isDone: decided('reject') },
  { name: 'skip', prepare: runToWrite, run: decide('skip', 'review'), isDone: decided('skip') },
  { name: 'force', prepare: run, run: decide('force', 'read'), isDone: decided('force') },
  { name: 'keep', prepare: steps(run, edit('by hand')), run: (gateline) => gateline.keep([], by) },
  {
    name: 'adopt',
    prepare: run,
    run: (gateline) => gateline.adopt('read', { notes: 'mine' }, by),
    isDone: decided('adopt'),
  },
  { name: 'pause', prepare: runToWrite, run: decide('pause'), isDone: decided('pause'), finish: resume },
  { name: 'resume', prepare: steps(runToWrite, decide('pause')), run: resume, isDone: decided('resume') },
  { name: 'close', prepare: runToWrite, run: decide('close'), isDone: decided('close') },
  { name: 'rollback', files: HARD, run: (gateline) => gateline.rollback('read', by), ...rollback },
  {
    name: 'rollback of a database',
    files: WITH_DATABASE,
    run: (gateline) => gateline.rollback('all', by),
    ...rollback,
  },
  { name: 'apply', prepare: (gateline) => gateline.run({ isolated: true }), run: (gateline) => gateline.apply() },
  {
    name: 'clean',
    prepare: steps(run, edit('other'), run),
    run: (gateline) => gateline.clean({ runs: 1 }),
    extra: listState,
  },
  { name: 'check --repair', prepare: steps(run, spoilLog), run: (gateline) => gateline.check(true) },
  {
    name: 'import',
    files: MIRRORED,
    prepare: steps(run, keepOneStateFile),
    run: (gateline) => gateline.import('state-guide', 'old', by),
    extra: listStateFiles,
  },
  { ...entities, name: 'do', prepare: steps(run, resetAll), run: openPage },
  { ...withPage, name: 'do, which invalidates', run: (gateline) => gateline.entities.do('logout') },
  { ...entities, name: 'entities set', run: (gateline) => gateline.entities.set('page', 'valid', 'home', by) },
  { ...withPage, name: 'entities apply', run: (gateline) => gateline.entities.apply('logout', undefined, {}, by) },
  { ...withPage, name: 'entities reset', run: resetAll },
]);

function createCommands(sketches: readonly (Omit<Command, 'files' | 'finish'> & Partial<Command>)[]): Command[] {
  return sketches.map((sketch) => ({ files: EASY, finish: run, ...sketch }));
}
