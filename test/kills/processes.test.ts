import { spawn } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { environmentOf, listProcesses } from '../../src/agent/process-table.ts';
import { bundlePrograms, compileCache } from '../support/runner/bundle.ts';
import { KILLS, watchOperations } from './operations.ts';
import { entriesIn, Project, type Image } from './project.ts';

/** An agent that is to hang works half, leaves a process in a session of its own too, and waits for ever. */
const agent = (gate: string, half: string, rest: string): string => `
      echo ${gate} >> "$AGENTS"; ${half}
      if [ -e "$AGENTS.hang-${gate}" ]; then
        setsid sleep 100000 &
        echo hangs > "$AGENTS.hangs"; while :; do sleep 1; done
      fi
      ${rest} > "$GATELINE_OUTPUT"`;
const WRITE = `read -r notes < notes.txt; n=0; while [ $n -lt 40 ]; do n=$((n + 1)); echo "$notes" > made/$n.txt; done
      if grep -q '"rework":' "$GATELINE_REQUEST"; then echo reviewed > made/reviewed.txt; fi; echo '"written"'`;
const REVIEW = `score=40; if [ -e made/reviewed.txt ]; then score=90; fi; echo "{\\"score\\":$score}"`;
const GATELINE_YML = `
pipeline: kills
gates:
  read:
    run: |${agent('read', ':', `echo "\\"$(cat notes.txt)\\""`)}
  write:
    needs: read
    run: |${agent('write', 'mkdir -p made; cp notes.txt made/0.txt', WRITE)}
    inputs: [notes.txt]
    files: [made/**]
  review:
    needs: write
    run: |${agent('review', ':', REVIEW)}
    inputs: []
    output: {score: /score}
    on-fail: {goto: write, max-iterations: 3}
`;

let project: Project;
/** A bundle starts in half of the time of the sources. */
let cli: string;
/** A folder where nothing ran, and one where a run puts the files of an earlier output back. */
const beginnings = new Map<string, { image: Image; outcome: object; operations: number }>();

beforeAll(async () => {
  project = await Project.create({ 'gateline.yml': GATELINE_YML, 'notes.txt': 'first\n' });
  cli = join(await bundlePrograms(), 'cli.mjs');
  const note = async (name: string): Promise<void> => {
    const image = project.image();
    let operations = 0;
    {
      using _watch = await watchOperations(() => (operations += 1));
      await project.run();
    }
    beginnings.set(name, { image, outcome: await project.outcome(), operations });
  };
  await note('agents run');
  project.write('notes.txt', 'second\n');
  await project.run();
  project.write('notes.txt', 'first\n');
  await note('files are put back');
  // A process that is killed leaves nothing in the cache for the next one.
  await startRun({ DIE_AT: '0' }).ended;
});
afterAll(() => project[Symbol.asyncDispose]());

afterEach(async () => {
  for (const pid of await leftProcesses()) process.kill(pid, 'SIGKILL');
});

describe('a process that is killed', () => {
  it.each(Array.from({ length: KILLS }, (_, index) => index))('is continued without loss (%i)', async (index) => {
    const hung = index % 3 === 0 ? ['read', 'write', 'review'][Math.floor(index / 3) % 3] : undefined;
    const { image, outcome, operations } = beginnings.get(index % 3 === 2 ? 'files are put back' : 'agents run')!;
    project.restore(image);
    rmSync(fileOf('hangs'), { force: true });
    const moments = Array.from({ length: hung ? 0 : 1 + (index % 2) }, () => ({
      DIE_AT: String(1 + Math.floor(Math.random() * operations)),
      DIE_AFTER_MS: String(Math.floor(Math.random() * 6)),
      DIE_WITH_GIT: String(Math.random() < 0.5),
    }));
    for (const moment of moments) await startRun(moment).ended;
    if (hung) await killWhileAgentHangs(hung);
    // Nobody needs to know that the engine is gone.
    if (hung && index % 2 === 0)
      await project.take((gateline) => gateline.decide('close', { actor: 'a', reason: 'b' }));

    const { result } = await project.run();
    const kills = JSON.stringify({ hung, moments });
    expect(result.status, kills).toMatch(/^(?:completed|nothing)$/);
    expect(await project.outcome(), kills).toEqual(outcome);
    expect(await leftProcesses(), kills).toEqual([]);
    const entries = entriesIn(project.image());
    const ended = entries.flatMap((entry) => (entry.kind === 'ended' && entry.how === 'ran' ? entry.fingerprint : []));
    expect(ended, kills).toEqual([...new Set(ended)]);
  });

  it('leaves locks of git, which stop nothing', async () => {
    project.restore(beginnings.get('agents run')!.image);
    await project.run({ until: ['read'] });
    for (const path of ['packed-refs', 'refs/gateline/kills=3amain=2f1=2fwrite=2f1'])
      project.write(`.state/git/${path}.lock`, '');
    expect((await project.run()).result.status).toBe('completed');
  });
});

function fileOf(name: string): string {
  return join(project.root, `agents.${name}`);
}

/** A process of the command line. @param death see die.ts */
function startRun(death?: Readonly<Record<string, string>>) {
  const die = join(import.meta.dirname, 'die.ts');
  const child = spawn(process.execPath, [...(death ? ['--import', die] : []), cli, 'run', '--quiet'], {
    cwd: project.folder,
    env: { ...project.environment, NODE_COMPILE_CACHE: compileCache(), ...death },
    stdio: ['ignore', 'ignore', 'inherit'],
    // A group of its own, which can be killed without this process.
    detached: true,
  });
  return { child, ended: new Promise((resolve) => child.once('close', resolve)) };
}

async function killWhileAgentHangs(gate: string): Promise<void> {
  writeFileSync(fileOf(`hang-${gate}`), '');
  const { child, ended } = startRun();
  while (!existsSync(fileOf('hangs'))) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    await sleep(10);
  }
  child.kill('SIGKILL');
  await ended;
  rmSync(fileOf(`hang-${gate}`));
}

/** Processes that agents left: those with our variable, where the system tells. */
async function leftProcesses(): Promise<number[]> {
  const variable = `AGENTS=${project.environment['AGENTS']}`;
  return (await listProcesses()).map(({ pid }) => pid).filter((pid) => environmentOf(pid).includes(variable));
}
