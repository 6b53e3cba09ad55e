import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { InvalidStateError } from '../../../src/errors.ts';
import { CommandExecutor, StateManager } from '../../../src/local/entities/skills.ts';
import { bundlePrograms, compileCache } from '../../support/runner/bundle.ts';
import { Random } from '../random.ts';
import { documentOf, Model, randomSkill, replay, type Event, type ModelCommand, type ModelSkill } from './model.ts';

/** `ENTITY_STEPS=2000 vitest run test/oracle/entities` takes minutes. */
const STEPS = Number(process.env['ENTITY_STEPS'] ?? 60);
const SEED = Number(process.env['ENTITY_SEED'] ?? (process.env['CI'] === undefined ? Date.now() % 1_000_000 : 7));

/** Says when it begins and ends, and as what; prints its value. */
const WORK = `echo "start $1 $WORKER" >> events
echo "\${VALUE:-$2}"
sleep "\${TAKES:-0}"
echo "$OUTCOME $1 $WORKER" >> events
test "$OUTCOME" != fail
`;

function createFolder(skill: ModelSkill): string {
  const folder = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'gateline-entities-')));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  fs.writeFileSync(join(folder, 'work.sh'), WORK);
  fs.writeFileSync(join(folder, 'skill.json'), JSON.stringify(documentOf(skill)));
  return folder;
}

it(`does in ${STEPS} random steps what a page about skills says: seed ${SEED}`, { timeout: 0 }, async () => {
  const random = new Random(SEED);
  for (let done = 0; done < STEPS; done += 40) {
    const skill = randomSkill(random, false);
    const document = documentOf(skill);
    const folder = createFolder(skill);
    const variables: Record<string, string | undefined> = { PATH: process.env['PATH'], WORKER: 'w' };
    const state = new StateManager(document, { folder, environment: variables });
    const executor = new CommandExecutor(document, state);
    const model = new Model();
    const pool = new Model();

    const execute = async (command: string, use: ModelCommand, own: Model, args: Record<string, string> = {}) => {
      const hasPassed = !random.chance(0.2);
      const value = `v${random.int(100)}`;
      Object.assign(variables, { OUTCOME: hasPassed ? 'end' : 'fail', VALUE: own === model ? value : undefined });
      const missing = own.missing(use);
      const result = executor.execute(command, args);
      if (missing.length === 0) {
        expect((await result).status).toBe(hasPassed ? 'passed' : 'failed');
        own.apply(use, hasPassed, own === model ? value : args['n']);
        return;
      }
      const error: unknown = await result.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(InvalidStateError);
      expect((error as InvalidStateError).details.missing).toEqual(own === model ? missing : ['pool']);
    };

    for (let step = 0; step < 40; step += 1) {
      const name = random.pick(skill.entities);
      const [command, use] = random.pick(Object.entries(skill.commands));
      const n = String(1 + random.int(3));
      const instance = `pool_${n}`;
      const naming = { pool: random.chance(0.5) ? n : instance };
      const choices: readonly (() => unknown)[] = [
        () => state.create(name).then(() => model.create(name)),
        () => state.create(name, [step]).then(() => model.create(name, [step])),
        () => state.invalidate(name).then(() => model.invalidate(name)),
        () => state.applyEffects(command, step).then(() => model.apply(use, true, step)),
        () => execute('acquire', { requires: [], creates: [instance], invalidates: [] }, pool, { n }),
        () => execute('use', { requires: [instance], creates: [], invalidates: [] }, pool, naming),
        () => execute('release', { requires: [instance], creates: [], invalidates: [instance] }, pool, naming),
        ...Array.from({ length: 6 }, () => () => execute(command, use, model)),
        ...(random.chance(0.1) ? [() => state.reset().then(() => (model.reset(), pool.reset()))] : []),
      ];
      await random.pick(choices)();
      const status = await state.getStatus();
      for (const entity of skill.entities)
        expect([entity, status[entity], await state.getValue(entity)]).toEqual([
          entity,
          { valid: model.isValid(entity), has_value: model.values.has(entity) },
          model.values.get(entity),
        ]);
      expect(await state.checkRequires(command)).toEqual(model.missing(use));
      expect(status['pool']!.valid).toBe([...pool.valid.values()].includes(true));
    }
  }
});

it(
  `never lets two commands change an entity at once, nor begin without what they require, whoever is killed: seed ${SEED}`,
  { timeout: 0 },
  async () => {
    const random = new Random(SEED);
    for (let done = 0; done < STEPS; done += 36) await runSideBySide(random);
  },
);

/** Six processes of six commands each, three at a time; some are killed in the middle of a command, or between two. */
async function runSideBySide(random: Random): Promise<void> {
  const skill = randomSkill(random, true);
  const folder = createFolder(skill);
  const program = join(await bundlePrograms(), 'entity-worker.mjs');
  const killed = new Set<string>();
  const startWorker = (worker: string): Promise<void> => {
    const args = [program, folder, String(random.int(1e9)), '6', worker];
    const env = { ...process.env, NODE_COMPILE_CACHE: compileCache() };
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    let errors = '';
    child.stderr.on('data', (text: Buffer) => (errors += text.toString()));
    const lines = random.chance(0.6) ? 1 + random.int(6) : Infinity;
    const timer = setInterval(() => {
      if (eventsIn(folder).filter((event) => event.worker === worker).length < lines) return;
      clearInterval(timer);
      killed.add(worker);
      child.once('exit', () => fs.appendFileSync(join(folder, 'events'), `kill - ${worker}\n`));
      child.kill('SIGKILL');
    }, 5);
    return new Promise((resolve, reject) =>
      child.once('close', (code, signal) => {
        clearInterval(timer);
        if (code === 0 || signal === 'SIGKILL') resolve();
        else reject(new Error(`${worker}: ${code} ${errors}`));
      }),
    );
  };
  for (const wave of [0, 3]) await Promise.all([0, 1, 2].map((n) => startWorker(`w${wave + n}`)));
  // Programs of killed workers end by themselves.
  await expect.poll(() => hasOpenPrograms(folder)).toBe(false);
  const { faults, states } = replay(skill, eventsIn(folder), killed);
  expect(faults, JSON.stringify(skill)).toEqual([]);
  const state = new StateManager(documentOf(skill), { folder });
  const status = await state.getStatus();
  for (const [name, valid] of states)
    if (valid !== undefined) expect([name, status[name]!.valid]).toEqual([name, valid]);
  // Nothing that was killed is in the way.
  await expect
    .poll(() => new CommandExecutor(documentOf(skill), state).execute('first').catch(String))
    .toMatchObject({ status: 'passed' });
}

function eventsIn(folder: string): Event[] {
  const path = join(folder, 'events');
  const lines = fs.existsSync(path) ? fs.readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
  return lines.map((line) => {
    const [type = '', command = '', worker = ''] = line.split(' ');
    return { type, command, worker };
  });
}

/** Whether a program has begun and not ended: none of them is killed. */
function hasOpenPrograms(folder: string): boolean {
  const events = eventsIn(folder);
  const count = (...types: string[]) => events.filter(({ type }) => types.includes(type)).length;
  return count('start') > count('end', 'fail', '');
}
