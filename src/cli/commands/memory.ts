import { GatelineError } from '../../errors/gateline-error.ts';
import { DEEP_DIVE } from '../../formats/agent-flow/deep-dive.ts';
import { deepDiveStaleness, type DeepDivePlace } from '../../local/memory/deep-dive.ts';
import type { LoadedPipeline } from '../../local/load-pipeline.ts';
import { unitsOf } from '../../run/records/unit.ts';
import { compileDeepDive, compileProgress, explorersFor, PROGRESS } from '../memory/compile-document.ts';
import { stalenessText } from '../memory/note-stale.ts';
import { continueRun } from './run.ts';
import {
  addEntries,
  forgetEntry,
  newLearnings,
  PATTERNS,
  readDocument,
  readDocuments,
} from '../../local/memory/documents.ts';
import { DOCUMENT_NAME_PATTERN, documentPath, HANDOFF } from '../../memory/documents.ts';
import { DEFAULT_CATEGORY, entriesOf, type Added } from '../../memory/entries.ts';
import { bytesText, oneLine } from '../../report/text.ts';
import { textOption, type CommandInvocation } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { printJson } from '../output/print-json.ts';
import { say } from '../output/say.ts';
import { loadFor, openRun, openToLook } from '../project/open.ts';
import { learningLines } from '../memory/note-learnings.ts';

/** Format of what `gateline memory --json` prints. */
const FORMAT = 'gateline-memory/1';

type Action = (invocation: CommandInvocation, words: readonly string[]) => Promise<ExitCode>;

const ACTIONS: Readonly<Record<string, { readonly words: number; readonly run: Action }>> = {
  list: { words: 0, run: list },
  show: { words: 1, run: show },
  add: { words: 2, run: add },
  forget: { words: 1, run: forget },
  promote: { words: 1, run: promote },
  compile: { words: 2, run: compile },
  refresh: { words: 1, run: refresh },
};

/** `gateline memory`: the documents that agents get, and what agents noted. */
export async function execute(invocation: CommandInvocation): Promise<ExitCode> {
  const [name = 'list', ...words] = invocation.positionals;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  const known = Object.keys(ACTIONS).map((one) => `\`${one}\``);
  if (action === undefined)
    throw new GatelineError('OPTION_VALUE', `gateline memory ${name}: expected one of ${known.join(', ')}`);
  if (words.length > action.words)
    throw new GatelineError('ARGUMENT_UNEXPECTED', `${words[action.words]} is one argument too many`, {
      hint: 'Put a text with spaces in quotes.',
    });
  return action.run(invocation, words);
}

async function list(invocation: CommandInvocation): Promise<ExitCode> {
  const { world, options } = invocation;
  const { call, loaded } = await openToLook(invocation);
  const read = await readDocuments(loaded.root);
  const deepDive = read.find(({ name }) => name === DEEP_DIVE);
  const stale = deepDive && (await deepDiveStaleness(deepDive.text, placeOf(invocation, loaded)));
  const documents = read.map(({ name, text }) => ({
    name,
    path: documentPath(name),
    bytes: Buffer.byteLength(text),
    entries: entriesOf(text).length,
    gates: loaded.pipeline.gates.filter(({ memory }) => memory.includes(name)).map(({ id }) => id),
    gatesIfAsked: loaded.pipeline.gates.filter((gate) => gate.memoryIfAsked?.includes(name)).map(({ id }) => id),
    ...(name === DEEP_DIVE && stale && { staleness: { ...stale } }),
  }));
  const learnings = await newLearnings(call, loaded.root);
  if (options['json']) {
    printJson(world, { format: FORMAT, documents, learnings: learnings.map((one) => ({ ...one })) });
    return EXIT_CODES.ok;
  }
  if (documents.length === 0) say(world.out, 'There are no documents. `gateline memory add NAME TEXT` begins one.');
  for (const { name, bytes, entries, gates, gatesIfAsked, staleness } of documents) {
    const always = gates.length === 0 ? [] : [`for ${gates.join(', ')}`];
    const asked = gatesIfAsked.length === 0 ? [] : [`with --memory ${name} for ${gatesIfAsked.join(', ')}`];
    const used = [...always, ...asked].join(', ') || 'no gate names it';
    const age = staleness === undefined ? '' : `; ${stalenessText(staleness)}`;
    say(world.out, `${name}  ${entriesText(entries)}, ${bytesText(bytes)}, ${used}${age}`);
  }
  for (const line of learningLines(learnings)) say(world.out, line);
  return EXIT_CODES.ok;
}

async function show(invocation: CommandInvocation, words: readonly string[]): Promise<ExitCode> {
  const { world, options } = invocation;
  const name = documentNamed(words[0]);
  const { root } = await loadFor(invocation, 'without-gates');
  const text = await readDocument(root, name);
  if (text === undefined) throw unknown(name);
  const entries = entriesOf(text);
  if (options['json'])
    printJson(world, {
      format: FORMAT,
      name,
      path: documentPath(name),
      text,
      entries: entries.map((one) => ({ ...one })),
    });
  else
    for (const { id, category, text: line } of entries) say(world.out, `${id}  ${oneLine(category)}: ${oneLine(line)}`);
  return EXIT_CODES.ok;
}

async function add(invocation: CommandInvocation, words: readonly string[]): Promise<ExitCode> {
  const { options } = invocation;
  const name = documentNamed(words[0]);
  if (words[1] === undefined)
    throw new GatelineError('ARGUMENT_MISSING', 'gateline memory add NAME TEXT: TEXT is missing');
  const { root } = await loadFor(invocation, 'without-gates');
  const category = textOption(options, 'category') ?? DEFAULT_CATEGORY;
  return told(invocation, name, await addEntries(root, name, [{ category, text: words[1] }]));
}

async function promote(invocation: CommandInvocation, words: readonly string[]): Promise<ExitCode> {
  const { options } = invocation;
  const name = documentNamed(textOption(options, 'to') ?? PATTERNS);
  const loaded = await loadFor(invocation, 'without-gates');
  const { call } = await openRun(invocation, loaded, { asked: words[0], where: 'promote', readOnly: true });
  const learnings = await newLearnings(call, loaded.root);
  return told(invocation, name, await addEntries(loaded.root, name, learnings));
}

async function compile(invocation: CommandInvocation, words: readonly string[]): Promise<ExitCode> {
  const { world, options } = invocation;
  const name = documentNamed(words[0]);
  if (name === PROGRESS) return told(invocation, name, await compileProgress(invocation, words[1]));
  if (name !== DEEP_DIVE)
    throw new GatelineError('OPTION_VALUE', `${name} is not compiled: only ${DEEP_DIVE} and ${PROGRESS} are`, {
      hint: '`gateline memory add NAME TEXT` adds an entry to any document.',
    });
  const { text, run, gate } = await compileDeepDive(invocation, words[1]);
  const [entries, bytes] = [entriesOf(text).length, Buffer.byteLength(text)];
  if (options['json']) printJson(world, { format: FORMAT, name, path: documentPath(name), run, gate, entries, bytes });
  else say(world.out, `Wrote ${documentPath(name)} from ${gate} of run ${run}: ${bytesText(bytes)}.`);
  // It names a commit, and agents saw what is not in it.
  const { choice } = await deepDiveStaleness(text, placeOf(invocation, await loadFor(invocation, 'without-gates')));
  if (choice === 'stale')
    say(world.err, `note: what changed is not committed: commit it and refresh again, or ${name} is treated as stale`);
  return EXIT_CODES.ok;
}

/** Runs the pipeline again whose result is the document, if it is out of date, and writes it. */
async function refresh(invocation: CommandInvocation, words: readonly string[]): Promise<ExitCode> {
  const { world, options } = invocation;
  const name = documentNamed(words[0]);
  if (name !== DEEP_DIVE) throw new GatelineError('OPTION_VALUE', `${name}: only ${DEEP_DIVE} is ever out of date`);
  const loaded = await loadFor(invocation, 'without-gates');
  const text = await readDocument(loaded.root, name);
  const staleness = text === undefined ? undefined : await deepDiveStaleness(text, placeOf(invocation, loaded));
  // What changed since starts the agents by itself.
  const isForced = options['force'] === true || staleness?.choice === 'expired';
  const willRun = isForced || staleness?.choice !== 'fresh';
  const state = staleness === undefined ? 'not there yet' : stalenessText(staleness);
  if (!willRun || options['dry-run'] === true) {
    if (options['json']) printJson(world, { format: FORMAT, name, staleness: staleness ?? null, willRun });
    else say(world.out, `${name} is ${state}. ${willRun ? 'The pipeline would run.' : 'Nothing to do.'}`);
    return EXIT_CODES.ok;
  }
  say(world.err, `${name} is ${state}.`);
  const force = isForced ? explorersFor(unitsOf(loaded.pipeline), options) : undefined;
  const asked = { force, reason: `refresh of ${name}`, json: undefined, 'dry-run': undefined, gate: undefined };
  const shown = options['json'] ? { ...world, out: world.err } : world;
  const code = await continueRun({ ...invocation, world: shown, positionals: [], options: { ...options, ...asked } });
  return code === EXIT_CODES.ok ? compile(invocation, [name]) : code;
}

function placeOf({ world }: CommandInvocation, { root }: LoadedPipeline): DeepDivePlace {
  return { root, environment: world.environment, now: world.now() };
}

async function forget(invocation: CommandInvocation, words: readonly string[]): Promise<ExitCode> {
  const { world, options } = invocation;
  const [id = ''] = words;
  const { root } = await loadFor(invocation, 'without-gates');
  const names = await forgetEntry(root, id);
  if (names.length === 0)
    throw new GatelineError('DOCUMENT_UNKNOWN', `no document has an entry ${JSON.stringify(id)}`, {
      hint: '`gateline memory show NAME` lists the entries with their ids.',
    });
  if (options['json']) printJson(world, { format: FORMAT, forgotten: id, documents: names });
  else say(world.out, `Removed from ${names.map(documentPath).join(', ')}.`);
  return EXIT_CODES.ok;
}

function entriesText(number: number): string {
  return `${number} ${number === 1 ? 'entry' : 'entries'}`;
}

/** @throws GatelineError `OPTION_VALUE`, `ARGUMENT_MISSING` */
function documentNamed(name: string | undefined): string {
  if (name === undefined) throw new GatelineError('ARGUMENT_MISSING', 'the name of a document is missing');
  if (name === HANDOFF)
    throw new GatelineError('OPTION_VALUE', `${HANDOFF} is made from the previous run, and is not a document`, {
      hint: '`gateline handoff` shows it.',
    });
  if (DOCUMENT_NAME_PATTERN.test(name)) return name;
  throw new GatelineError(
    'OPTION_VALUE',
    `${JSON.stringify(name)} cannot be the name of a document: use a-z, 0-9 and \`-\``,
  );
}

function unknown(name: string): GatelineError {
  return new GatelineError('DOCUMENT_UNKNOWN', `there is no document ${name}`, {
    hint: '`gateline memory` lists the documents.',
  });
}

function told({ world, options }: CommandInvocation, name: string, { added, known, left }: Added): ExitCode {
  const entries = added.map((one) => ({ ...one }));
  if (options['json'])
    printJson(world, { format: FORMAT, name, path: documentPath(name), added: entries, known, left: left.length });
  else {
    say(world.out, added.length === 0 ? `Nothing new for ${documentPath(name)}.` : `Added to ${documentPath(name)}:`);
    for (const { category, text } of added) say(world.out, `  ${oneLine(category)}: ${oneLine(text)}`);
  }
  if (left.length === 0) return EXIT_CODES.ok;
  say(
    world.err,
    `${documentPath(name)} is full: ${entriesText(left.length)} did not fit. \`gateline memory forget ID\` makes room.`,
  );
  return EXIT_CODES.gateFailed;
}
