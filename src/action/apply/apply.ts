import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { GatelineError } from '../../errors.ts';
import { code } from '../../report/markdown.ts';
import { gateOf } from '../../run/units.ts';
import type { HandedFile } from '../../store/github/document.ts';
import { createFileReader } from '../../store/github/attempts.ts';
import { createMatcher } from '../../workspace/globs.ts';
import { readTrustedDefinition, relativeTo, requireCheckout } from '../gate/definition.ts';
import { openFolder } from '../gate/gate-job.ts';
import { createJudge, judgeNeed } from '../gate/judge-need.ts';
import type { Inputs } from '../inputs.ts';
import type { Job } from '../job.ts';
import { parseNeeds, readNeeds } from '../gate/needs.ts';
import { writeHandedFiles } from '../gate/open-gate.ts';
import { mergeFiles } from '../gate/prepare-gate.ts';
import { definitionPlace, type Services } from '../services.ts';

/**
 * Paths of files that run or take effect without being called: workflows and actions, hooks, git's own files, settings of
 * editors and agents.
 */
const RISKY = [
  '.github/**',
  '**/.git/**',
  '**/.git*',
  '**/.husky/**',
  '**/.githooks/**',
  '**/.vscode/**',
  '**/.idea/**',
  '**/.devcontainer/**',
  '**/.devcontainer.json',
  '**/.claude/**',
  '**/.codex/**',
  '**/.cursor/**',
  '**/.gemini/**',
  '**/.mcp.json',
  '**/.envrc',
  '**/.npmrc',
  '**/.yarnrc*',
  '**/.pre-commit-config.yaml',
];
/** Characters that make a name look like another one: controls, text directions, invisible ones. */
const MISLEADING =
  /[\0-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/u;

/** Why a file must not be delivered; undefined: it may. */
export function explainRisk(path: string, allowed: readonly string[]): string | undefined {
  if (allowed.includes(path)) return undefined;
  if (MISLEADING.test(path)) return 'its name does not look like what it is';
  // Compared as a file system that ignores case does: `ſ` is an s.
  const folded = path.normalize('NFKC').toLowerCase();
  return createMatcher(RISKY)(folded) ? 'files there run or count by themselves' : undefined;
}

/** Writes the files of gates into the checkout, for a step that makes a pull request of them. */
export async function applyFiles(job: Job, inputs: Inputs<'apply'>, services: Services): Promise<boolean> {
  const { runner, artifacts, environment } = services;
  const place = definitionPlace(job, services, inputs.path);
  await requireCheckout(place);
  const { pipeline, root, contracts } = await readTrustedDefinition(job, inputs.file, place);
  const jobs = parseNeeds(inputs.needs);
  const failed = jobs.filter(({ result }) => result !== 'success').map(({ id }) => id);
  if (failed.length > 0) throw new GatelineError('failed', `nothing is delivered: ${failed.join(', ')} did not pass`);
  const documents = await readNeeds(artifacts, jobs, { pipeline: pipeline.id, runId: job.runId });
  const judge = createJudge(job, services, pipeline, contracts);
  for (const { document } of documents) {
    const { refusal } = await judgeNeed(document, judge);
    if (refusal !== undefined) throw new GatelineError('failed', `nothing is delivered: ${refusal}`);
  }
  const unknown = inputs.gates.filter((id) => !pipeline.gates.some((gate) => gate.id === id));
  if (unknown.length > 0)
    throw new GatelineError('usage', `\`gates\` names no gate of the definition: ${unknown.join(', ')}`);
  const isWanted = ({ unit }: HandedFile) => inputs.gates.length === 0 || inputs.gates.includes(gateOf(unit));
  // Globs of `files` also match files that no gate changed.
  const isChanged = ({ base, after }: HandedFile) => base !== after;
  const files = mergeFiles(pipeline, documents).filter((file) => isWanted(file) && isChanged(file));
  const placed = files.map(({ path, after }) => ({ path: relativeTo(place.checkout, join(root, path)), after }));
  const risks = placed.flatMap(({ path }) => {
    const risk = explainRisk(path, inputs.allow);
    return risk === undefined ? [] : [`${path}: ${risk}`];
  });
  if (risks.length > 0)
    throw new GatelineError('failed', `these files are not delivered:\n${risks.slice(0, 50).join('\n')}`, {
      hint: 'Look at them; `allow` names the paths that may be delivered.',
    });
  const state = await mkdtemp(join(job.temp, 'gateline-apply-'));
  await using folder = await openFolder({ root, state, pipeline }, environment, services.observe);
  await writeHandedFiles(folder, files, createFileReader(artifacts, job.runId));
  runner.setOutput('count', String(files.length));
  runner.setOutput('paths', placed.map(({ path }) => path).join('\n'));
  const list = placed.slice(0, 200).map(({ path, after }) => `- ${code(path)}${after === null ? ' (deleted)' : ''}`);
  runner.addSummary(`### Files for delivery: ${files.length}\n\n${list.join('\n')}\n`);
  return true;
}
