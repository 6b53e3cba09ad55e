import { resolve } from 'node:path';
import { GatelineError } from '../../errors/gateline-error.ts';
import { exportSkill, leftOutOfSkill } from '../../formats/uasp/export-skill.ts';
import { importSkills } from '../../formats/uasp/import-skills.ts';
import { readSkill } from '../../local/skills/read-skill.ts';
import { oneLine } from '../../report/text.ts';
import { forTerminal } from '../../untrusted/escape.ts';
import { yamlText } from '../../pipeline/yaml/yaml-text.ts';
import { listOption, type CommandInvocation } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { printJson } from '../output/print-json.ts';
import { say } from '../output/say.ts';
import { loadFor } from '../project/open.ts';

/** `gateline entities import --from FILE`: prints skills as parts of a gateline.yml. Writes and runs nothing. */
export async function importFiles({ world, options }: CommandInvocation): Promise<ExitCode> {
  const files = listOption(options, 'from');
  if (files.length === 0)
    throw new GatelineError('OPTION_VALUE', 'entities import: --from FILE is missing', {
      hint: 'It is a skill, such as agent-browser.uasp.yaml; it can be repeated.',
    });
  const skills = [];
  for (const file of files) skills.push(await readSkill(resolve(world.workingDirectory, file), file));
  const { entities, commands, warnings } = importSkills(skills);
  if (options['json']) {
    printJson(world, { format: 'gateline-entities-import/1', entities, commands, warnings });
    return EXIT_CODES.ok;
  }
  const yaml = yamlText({ entities, commands });
  world.out.write(world.out.interactive ? forTerminal(yaml) : yaml);
  for (const warning of warnings) say(world.err, `note: ${oneLine(warning)}`);
  for (const [id, { syntax }] of Object.entries(commands))
    say(world.err, `\`gateline do ${oneLine(id)}\` would run: ${oneLine(syntax)}`);
  return EXIT_CODES.ok;
}

/** `gateline entities export`: prints the entities and commands of the definition as a skill. */
export async function exportDefinition(invocation: CommandInvocation): Promise<ExitCode> {
  const { world, options } = invocation;
  const { pipeline } = await loadFor(invocation, 'without-gates');
  const resources = pipeline.resources ?? { entities: [], commands: [] };
  const skill = exportSkill(pipeline.id, resources);
  for (const one of leftOutOfSkill(resources))
    say(world.err, `note: ${oneLine(one)} is left out: UASP has no word for it`);
  if (options['json']) printJson(world, skill);
  else world.out.write(yamlText(skill));
  return EXIT_CODES.ok;
}
