/**
 * Loaded before an agent of `examples/web-tests` (`node --import`), in the agent's own process. The first time an agent
 * is asked something, it works as ever, and what it wrote is kept in the folder `REMEMBERED`. When the very same is asked
 * again, of a workspace with the very same files, it writes that again without working. The agents are deterministic, so
 * this saves time and nothing else: a pipeline takes five seconds of work, and tests of crashes and re-runs run it some hundred times.
 */
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

interface Remembered {
  readonly stdout: string;
  /** Variable → text of the file that it names. */
  readonly answers: Readonly<Record<string, string>>;
  /** Path → text. */
  readonly files: Readonly<Record<string, string>>;
}

const ANSWERS = ['GATELINE_OUTPUT', 'GATELINE_METRICS', 'GATELINE_LEARNINGS'];
const folder = process.env['REMEMBERED'];
const agent = process.argv[1] ?? '';

if (folder !== undefined && basename(dirname(agent)) === 'agents' && process.env['GATELINE_REQUEST'] !== undefined) {
  const before = filesHere('.');
  const memory = join(folder, `${keyOf(before)}.json`);
  if (existsSync(memory)) replay(JSON.parse(readFileSync(memory, 'utf8')) as Remembered);
  else {
    const stdout = listen();
    process.on('exit', (code) => code === 0 && remember(memory, before, stdout()));
  }
}

/** Takes note of what is printed. */
function listen(): () => string {
  const { stdout } = process;
  const write = stdout.write.bind(stdout);
  let text = '';
  stdout.write = (chunk: string | Uint8Array) => {
    text += String(chunk);
    return write(chunk);
  };
  return () => text;
}

/** All that the agent is given, but for where it lies and the how-manieth attempt it is. */
function keyOf(files: Readonly<Record<string, string>>): string {
  const request = JSON.parse(readFileSync(process.env['GATELINE_REQUEST']!, 'utf8'), (key, value: unknown) =>
    key === 'file' || key === 'attempt' ? undefined : value,
  ) as unknown;
  return createHash('sha256')
    .update(JSON.stringify([basename(agent), request, Object.entries(files)]))
    .digest('hex');
}

function replay({ answers, files, stdout }: Remembered): never {
  const { GATELINE_GATE: gate, GATELINE_ATTEMPT: attempt, START_LOG: log } = process.env;
  appendFileSync(log!, `${gate} ${attempt} ${process.pid}\n`);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  for (const [name, text] of Object.entries(answers)) writeFileSync(process.env[name]!, text);
  writeSync(1, stdout);
  process.exit(0);
}

function remember(memory: string, before: Readonly<Record<string, string>>, stdout: string): void {
  const answers = ANSWERS.filter((name) => existsSync(process.env[name]!)).map(
    (name) => [name, readFileSync(process.env[name]!, 'utf8')] as const,
  );
  const files = Object.entries(filesHere('.')).filter(([path, text]) => before[path] !== text);
  const remembered: Remembered = { stdout, answers: Object.fromEntries(answers), files: Object.fromEntries(files) };
  const temporary = `${memory}.${process.pid}`;
  writeFileSync(temporary, JSON.stringify(remembered));
  renameSync(temporary, memory);
}

/** Path → text of every file of the workspace. */
function filesHere(directory: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(directory, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (directory === '.' && (entry.name === '.git' || entry.name === '.state')) continue;
    const path = join(directory, entry.name);
    if (entry.isDirectory()) Object.assign(found, filesHere(path));
    else found[path] = readFileSync(path, 'utf8');
  }
  return found;
}
