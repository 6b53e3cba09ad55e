import { readFileSync } from 'node:fs';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importSkills } from '../../../src/formats/uasp/import-skills.ts';
import { parseSkill } from '../../../src/formats/uasp/skill.ts';
import {
  CommandExecutor,
  definePipeline,
  localPorts,
  SkillRuntime,
  StateManager,
  type Assignment,
  type EnginePorts,
  type Pipeline,
} from '../../../src/index.ts';
import { plainEnvironment, REPOSITORY } from '../../support/command-line.ts';
import { ScratchWorkspace } from '../../support/scratch-workspace.ts';
import { SECTIONS, type World } from './seed-api-lines.ts';

const SKILL = `console.log(process.argv[2] === 'snapshot' ? '["@e1", "@e2"]' : '{"id": "s1"}')`;
async function worldIn(workspace: ScratchWorkspace): Promise<World> {
  await writeFile(join(workspace.root, 'skill.mjs'), SKILL);
  const file = join(workspace.root, 'agent-browser.uasp.yaml');
  await copyFile(join(REPOSITORY, 'test/fixtures/uasp/agent-browser.uasp.yaml'), file);
  const environment = plainEnvironment(workspace.variables());
  const portsFor = (pipeline: Pipeline): Promise<EnginePorts> =>
    localPorts({ place: { root: workspace.root, pipeline, isDefault: false }, environment });
  const runtime = new SkillRuntime(portsFor);
  await runtime.loadSkill(file);
  const skill = importSkills([parseSkill(readFileSync(file, 'utf8'), file)]);
  const { entities, commands } = skill;
  const open = async (definition: object): Promise<[EnginePorts, Assignment]> => {
    const pipeline = definePipeline(definition);
    return [await portsFor(pipeline), { pipeline, subject: 'default', metadata: {}, input: null }];
  };
  const own = await open({ pipeline: 'own', entities, commands });
  const names = ['connection', 'session', 'transaction'];
  const entry = (name: string, at: number): [string, object] => [name, at === 0 ? {} : { 'depends-on': names[at - 1] }];
  const chain = new StateManager(
    ...(await open({ pipeline: 'chain', entities: Object.fromEntries(names.map(entry)) })),
  );
  for (const name of names) await chain.create(name);
  return { runtime, state: new StateManager(...own), executor: new CommandExecutor(...own), chain, imported: skill };
}

describe("the API of UASP's page about state", () => {
  it.each(Object.entries(SECTIONS))('means here what it means there: %s', async (_, lines) => {
    await using workspace = await ScratchWorkspace.create({ x: '' });
    const world = await worldIn(workspace);
    for (const [, means] of lines) await means?.(world);
  });

  it('is here line by line', () => {
    const text = readFileSync(join(REPOSITORY, 'test/fixtures/seeds/uasp-state-api.txt'), 'utf8');
    expect(Object.values(SECTIONS).flatMap((lines) => lines.map(([line]) => line))).toEqual(text.trimEnd().split('\n'));
  });
});
