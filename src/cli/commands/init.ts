import { lstat, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { GatelineError, isSystemError, messageOf } from '../../errors/gateline-error.ts';
import { PipelineInvalidError } from '../../local/pipeline-invalid.ts';
import { parsePipeline } from '../../pipeline/parse-pipeline.ts';
import { DEFAULT_FILES } from '../../pipeline/pipeline.ts';
import { didYouMean } from '../../pipeline/problem.ts';
import { textOption, type CommandInvocation } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { printJson } from '../output/print-json.ts';
import { say } from '../output/say.ts';
import { workflowFile } from '../project/workflow-file.ts';
import type { Template } from '../templates/template.ts';
import { AGENT_FLOW } from '../templates/agent-flow.ts';
import { AGENTS } from '../templates/agents.ts';
import { CLAUDE_CODE } from '../templates/claude-code.ts';
import { CODEX } from '../templates/codex.ts';
import { DEEP_DIVE } from '../templates/deep-dive.ts';
import { DEV_LOOP } from '../templates/dev-loop.ts';
import { GH_AW } from '../templates/gh-aw.ts';
import { PROMPTFOO } from '../templates/promptfoo.ts';
import { SCRIPT } from '../templates/script.ts';
import { SINGLE } from '../templates/single.ts';
import { STATE_GUIDE } from '../templates/state-guide.ts';
import type { CliWorld } from '../world.ts';

/** `gateline init`: writes a pipeline to start from. Never overwrites a file. */
export async function execute({ world, options }: CommandInvocation): Promise<ExitCode> {
  if (options['list']) {
    const templates = TEMPLATES.map(({ name, summary }) => ({ name, summary }));
    if (options['json']) printJson(world, { format: 'gateline-templates/1', templates });
    else for (const { name, summary } of templates) say(world.out, `${name.padEnd(12)} ${summary}`);
    return EXIT_CODES.ok;
  }
  const template = templateNamed(textOption(options, 'template') ?? TEMPLATES[0]!.name);
  const texts = { ...template.files, ...(options['workflow'] === true && (await compiled(world, template))) };
  const files = Object.keys(texts);
  const written = options['dry-run'] !== true;
  await refuseExisting(world.workingDirectory, files);
  if (written) for (const path of files) await writeNew(join(world.workingDirectory, path), texts[path]!);
  if (options['json']) {
    printJson(world, { format: 'gateline-init/1', template: template.name, written, files });
    return EXIT_CODES.ok;
  }
  for (const path of files) world.out.write(`${written ? 'wrote' : 'would write'} ${path}\n`);
  if (written) say(world.out, `\n${NEXT}`);
  return EXIT_CODES.ok;
}

const NEXT =
  'Next: `gateline plan` shows what would run, `gateline run` runs it, `gateline compile` writes the workflow that runs it on GitHub.';

/** The workflow of a template, by its path relative to the current folder. */
async function compiled(world: CliWorld, { files }: Template): Promise<Record<string, string>> {
  const parsed = parsePipeline(files[DEFAULT_FILES[0]]!, DEFAULT_FILES[0]);
  if (!parsed.ok) throw new PipelineInvalidError(parsed.problems);
  const { pipeline } = parsed;
  const root = world.workingDirectory;
  const { name, text } = await workflowFile(world, {}, { pipeline, root, path: join(root, DEFAULT_FILES[0]) });
  return { [name]: text };
}

function templateNamed(name: string): Template {
  const found = TEMPLATES.find((template) => template.name === name);
  if (found !== undefined) return found;
  const names = TEMPLATES.map((template) => template.name);
  const meant = didYouMean(name, names);
  const suggestion = meant === undefined ? '' : `; ${meant}`;
  throw new GatelineError('TEMPLATE_UNKNOWN', `there is no template ${name}${suggestion}`, {
    hint: `Templates: ${names.join(', ')}.`,
  });
}

async function refuseExisting(folder: string, paths: readonly string[]): Promise<void> {
  const existing: string[] = [];
  for (const path of paths) if (await exists(join(folder, path))) existing.push(path);
  if (existing.length === 0) return;
  throw new GatelineError('FILE_EXISTS', `${existing.join(', ')}: already there; nothing was written`);
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return false;
    throw new GatelineError('FILE_UNREADABLE', `${path} cannot be looked at: ${messageOf(error)}`, {
      fault: 'platform',
      hint: 'Check what is in its place and who owns it.',
      cause: error,
    });
  }
}

async function writeNew(path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text, { flag: 'wx' });
  } catch (cause) {
    throw new GatelineError('FILE_UNWRITABLE', `${path} cannot be written: ${messageOf(cause)}`, {
      cause,
    });
  }
}

/** The templates of `gateline init --template`; a test runs each of them. */
export const TEMPLATES: readonly Template[] = [
  AGENTS,
  SINGLE,
  SCRIPT,
  CLAUDE_CODE,
  CODEX,
  GH_AW,
  PROMPTFOO,
  STATE_GUIDE,
  AGENT_FLOW,
  DEV_LOOP,
  DEEP_DIVE,
];
