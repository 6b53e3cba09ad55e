import { Buffer } from 'node:buffer';
import { buffer } from 'node:stream/consumers';
import { readZip } from '../../../src/store/github/artifacts/zip-entries.ts';
import { ActionWorld, WORKFLOW } from './action-world.ts';
import { ACTION, CHECKOUT, job, reportJob, workflowOf, type Keys } from './workflow-text.ts';

/** An agent that knows the state guide and nothing of Gateline: step 0B, and step N-1. */
const AGENT = `
const { readFileSync, writeFileSync } = require('node:fs');
const [number, output, change = '{}'] = process.argv.slice(2);
const fileOf = (gate) => '.state/demoqa_com-student_registration-gate' + gate + '-output.json';
require('node:fs').appendFileSync(process.env.START_LOG, 'gate' + number + ' 1 ' + process.pid + '\\n');
if (number > 0) {
  const before = JSON.parse(readFileSync(fileOf(number - 1), 'utf8'));
  console.log('loaded', before.agent, before.status, before.validation.score, JSON.stringify(before.output));
}
const state = {
  gate: Number(number),
  agent: 'Agent' + number,
  status: 'SUCCESS',
  metadata: { domain: 'demoqa_com', feature: 'student_registration', url: 'https://demoqa.com/' },
  output: JSON.parse(output),
  validation: { score: 91, issues: [], passed: true },
};
writeFileSync(fileOf(number), JSON.stringify({ ...state, ...JSON.parse(change) }, null, 2));
`;

/** What the agent of a gate writes. */
export interface GuideAgent {
  readonly output: unknown;
  /** Keys of its envelope that are not as they should be. */
  readonly change?: Keys;
  /** Commands before it works. */
  readonly before?: string;
  /** Keys of the gate. */
  readonly gate?: Keys;
  /** Inputs of its step. */
  readonly inputs?: Keys;
}

/** The guide's envelope of a gate, as another tool wrote it. */
export function envelope(gate: number, output: unknown, more: Keys = {}): string {
  const metadata = { domain: 'demoqa_com', feature: 'student_registration', url: 'https://demoqa.com/' };
  const validation = { score: 77, issues: [], passed: true };
  return JSON.stringify({ gate, agent: `Tool${gate}`, status: 'SUCCESS', metadata, output, validation, ...more });
}

/** What a world may have beside its agents. */
export interface GuideOptions {
  readonly files?: Readonly<Record<string, string>>;
  readonly pipeline?: Keys;
  /** Inputs of the report. */
  readonly report?: Keys;
}

/** A pipeline whose agents know only the state guide: `gate0`, `gate1` and so on, each with a job and one input. */
export function guideWorld(agents: readonly GuideAgent[], options: GuideOptions = {}): Promise<ActionWorld> {
  return ActionWorld.create(guideFiles(agents, options));
}

/** The files of its repository, the workflow among them. */
export function guideFiles(agents: readonly GuideAgent[], options: GuideOptions = {}): Record<string, string> {
  const gates = agents.map(({ output, change, before = '', gate }, number) => {
    const given = [JSON.stringify(output), ...(change ? [JSON.stringify(change)] : [])].map((one) => `'${one}'`);
    const run = `${before}\nnode agent.cjs ${number} ${given.join(' ')}`;
    const needs = number === 0 ? {} : { needs: [`gate${number - 1}`] };
    return [`gate${number}`, { number, agent: `Agent${number}`, ...needs, run, inputs: ['agent.cjs'], ...gate }];
  });
  const metadata = { domain: 'demoqa_com', feature: 'student_registration', url: 'https://demoqa.com/' };
  const definition = { pipeline: 'guide', metadata, ...options.pipeline, gates: Object.fromEntries(gates) as Keys };
  const jobs = agents.map(({ inputs = { mirror: 'state-guide' } }, number) => {
    const needs = number === 0 ? {} : { needs: [`gate${number - 1}`], if: 'always()' };
    return [`gate${number}`, job([CHECKOUT, { id: 'gate', uses: ACTION, with: inputs }], needs)] as const;
  });
  const report = reportJob(
    agents.map((_, number) => `gate${number}`),
    { mirror: 'state-guide', ...options.report },
  );
  return {
    'agent.cjs': AGENT,
    'gateline.yml': JSON.stringify(definition),
    [WORKFLOW]: workflowOf({ ...Object.fromEntries(jobs), report }),
    ...options.files,
  };
}

/** The files in the artifact with the state files, by name. */
export async function stateFilesOf(
  { service }: ActionWorld,
  names: readonly string[],
  artifact = 'gateline-guide-1.state',
): Promise<Record<string, string>> {
  const found = service.world.artifacts.find(({ name }) => name === artifact);
  if (found === undefined) return {};
  const zip = Buffer.from(service.world.blobs.blobs.get(found.blob)!.content);
  const wanted = new Map(names.map((name) => [name, { bytes: 2 ** 24, exact: false }]));
  const files: Record<string, string> = {};
  await readZip(zip, wanted, async (name, chunks) => {
    files[name] = (await buffer(chunks)).toString();
    return true;
  });
  return files;
}
