import { readFileSync } from 'node:fs';
import { GatelineError } from '../../../src/errors.ts';
import { CommandExecutor, StateManager } from '../../../src/local/entities/skills.ts';
import { Random } from '../random.ts';
import '../../../src/configure-zod.ts';

/** A process beside others: runs random commands of the skill in the folder. What is refused is tried no more. */
const [folder = '', seed = '0', steps = '0', worker = ''] = process.argv.slice(2);
const skill = JSON.parse(readFileSync(`${folder}/skill.json`, 'utf8')) as { commands: object };
const random = new Random(Number(seed));
const commands = Object.keys(skill.commands).filter((id) => /^c\d|first/.test(id));
for (let step = 0; step < Number(steps); step += 1) {
  const outcome = random.chance(0.2) ? 'fail' : 'end';
  const environment = { ...process.env, WORKER: worker, OUTCOME: outcome, TAKES: String(random.int(10) / 40) };
  const state = new StateManager(skill, { folder, environment });
  await new CommandExecutor(skill, state).execute(random.pick(commands)).catch((error: unknown) => {
    if (!(error instanceof GatelineError && ['STATE_INVALID', 'ENTITY_BUSY'].includes(error.code ?? ''))) throw error;
  });
}
