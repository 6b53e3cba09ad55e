import { createHash } from 'node:crypto';
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The part of the request (agent protocol 1) that these agents look at. */
export interface Request {
  readonly gate: string;
  readonly subject: string;
  /** domain, feature, url, userStory, acceptanceCriteria. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** What the caller gave; `null` when nothing. */
  readonly input: unknown;
  readonly definition: { readonly with: Readonly<Record<string, unknown>> };
  readonly needs: Readonly<Record<string, { readonly output?: unknown; readonly file: string } | null>>;
}

/** What an agent comes to. */
export interface Answer {
  /** The value that the gate's contract judges. */
  readonly output: object;
  /** Tools used, for the metrics. */
  readonly tools?: readonly string[];
  /** One line each, kept by the pipeline beside the output. */
  readonly learnings?: readonly string[];
}

/** Something that whoever runs the pipeline can put right. Shown without a stack. */
export class AgentError extends Error {
  override name = 'AgentError';
}

/**
 * Runs an agent: reads the request, does the work, writes output, metrics and learnings where the protocol says.
 * A failure is told on stderr and by exit code 1; nothing is written then.
 */
export async function serve(work: (request: Request) => Promise<Answer>): Promise<void> {
  try {
    const request = JSON.parse(await readFile(variable('GATELINE_REQUEST'), 'utf8')) as Request;
    await noteStart(request.gate);
    await showFeedback();
    const answer = await work(request);
    if (answer.tools) await writeOptional('GATELINE_METRICS', JSON.stringify({ tools: answer.tools }));
    if (answer.learnings)
      await writeOptional('GATELINE_LEARNINGS', answer.learnings.map((line) => `- ${line}\n`).join(''));
    await writeFile(variable('GATELINE_OUTPUT'), `${JSON.stringify(answer.output, null, 2)}\n`);
  } catch (error) {
    process.stderr.write(
      `${error instanceof AgentError ? `error: ${error.message}` : String((error as Error).stack ?? error)}\n`,
    );
    process.exitCode = 1;
  }
}

/** What a needed gate exports. The engine has checked it against that gate's contract, so the shape is taken as given. */
export async function needed<T>(request: Request, gate: string): Promise<T> {
  const need = request.needs[gate];
  if (!need) throw new AgentError(`the request holds no output of gate "${gate}"; add it to needs: in gateline.yml`);
  return (need.output ?? JSON.parse(await readFile(need.file, 'utf8'))) as T;
}

/** A text under `with:` in gateline.yml. */
export function setting(request: Request, name: string): string {
  const value = request.definition.with[name];
  if (typeof value !== 'string' || value === '')
    throw new AgentError(`gate "${request.gate}" needs with.${name}, a text, in gateline.yml`);
  return value;
}

/** A text of the pipeline's metadata. */
export function metadataText(request: Request, name: string): string {
  const value = request.metadata[name];
  if (typeof value !== 'string' || value === '') throw new AgentError(`metadata.${name} must be a text`);
  return value;
}

/** Reads a file of the workspace, the current directory. */
export async function readWorkspace(path: string, what: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new AgentError(`${what} ${path} is not there`, { cause: error });
    throw error;
  }
}

/** Writes a file of the workspace and gives its digest, `sha256:<hex>`. */
export async function writeWorkspace(path: string, text: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return digestOf(text);
}

/** `sha256:<hex>` of a text. */
export function digestOf(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** Reads a file that another gate wrote, and makes sure that it is what that gate wrote. */
export async function readHandedOn(path: string, digest: string, gate: string): Promise<string> {
  const text = await readWorkspace(path, `the file of gate "${gate}",`);
  if (digestOf(text) !== digest)
    throw new AgentError(`${path} is not what gate "${gate}" wrote; delete it and run that gate again`);
  return text;
}

function variable(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '')
    throw new AgentError(`${name} is not set: start this program through gateline (see docs/agent-protocol.md)`);
  return value;
}

async function noteStart(gate: string): Promise<void> {
  const log = process.env['START_LOG'];
  if (log) await appendFile(log, `${gate} ${process.env['GATELINE_ATTEMPT'] ?? '1'} ${process.pid}\n`);
}

async function showFeedback(): Promise<void> {
  const path = process.env['GATELINE_FEEDBACK'];
  if (!path) return;
  const { advice } = JSON.parse(await readFile(path, 'utf8')) as { advice?: string };
  process.stdout.write(`the attempt before did not pass: ${advice ?? 'no advice'}\n`);
}

async function writeOptional(name: string, text: string): Promise<void> {
  const path = process.env[name];
  if (path) await writeFile(path, text);
}
