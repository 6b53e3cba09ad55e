import { describe, expect, it } from 'vitest';
import { COMMAND_LINE, plainEnvironment } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { gateline, type Answer } from './in-process.ts';

/** Is there, waits until the others are, and calls a command. What came of that is its output. */
const MEMBER = `
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
const [, , call, mine, ...others] = process.argv;
writeFileSync(mine, '');
while (!others.every((name) => existsSync(name))) await new Promise((done) => setTimeout(done, 20));
const { status, stderr } = spawnSync(process.execPath, [process.env.CLI, 'do', call, '--wait'], { encoding: 'utf8' });
console.log(JSON.stringify({ status, err: stderr.split('\\n')[0] }));
`;

interface Called {
  readonly status: number;
  readonly err: string;
}

/** Each command holds an entity and calls what changes that of the next one. */
async function circleOf(names: readonly string[], last: string): Promise<Called[]> {
  const nextOf = (at: number): string => (at + 1 < names.length ? names[at + 1]! : last);
  const hold = (name: string, at: number): [string, object] => [
    `hold-${name}`,
    {
      syntax: `node member.mjs spoil-${nextOf(at)} ${[name, ...names.filter((one) => one !== name)].join(' ')}`,
      requires: name,
      returns: 'called',
      'timeout-minutes': 0.5,
    },
  ];
  const entities = [...new Set([...names, last])];
  const definition = {
    entities: Object.fromEntries(entities.map((name) => [name, null])),
    commands: {
      ...Object.fromEntries(names.map(hold)),
      ...Object.fromEntries(entities.map((name) => [`spoil-${name}`, { syntax: 'node -e 0', invalidates: name }])),
    },
  };
  await using workspace = await ScratchWorkspace.create({
    'gateline.yml': JSON.stringify(definition),
    'member.mjs': MEMBER,
  });
  const environment = plainEnvironment({ CLI: COMMAND_LINE });
  const run = (...args: string[]): Promise<Answer> => gateline(workspace.root, args, { environment });
  for (const name of entities) await run('entities', 'create', name, '--reason', 'it is there');
  const answers = await Promise.all(names.map((name) => run('do', `hold-${name}`, '--json')));
  return answers.map(({ out, err }) => {
    expect(out, err).toContain('"status": "passed"');
    return (JSON.parse(out) as { value: Called }).value;
  });
}

describe('commands that call others with --wait', () => {
  it.each([[['a', 'b']], [['a', 'b', 'c']]])(
    'never wait for each other in a circle: %j',
    async (names) => {
      const called = await circleOf(names, 'a');
      const held = called.filter(({ status }) => status !== 0);
      // One is enough to open the circle; the others may have seen it at the same moment.
      expect(held.length).toBeGreaterThan(0);
      for (const { status, err } of held) {
        expect(status).toBe(2);
        expect(err).toMatch(
          /^gateline: ENTITY_HELD: spoil-. would wait for hold-., which uses . and waits for what called spoil-.$/,
        );
      }
    },
    120_000,
  );

  it('wait for each other in a row', async () => {
    const called = await circleOf(['a', 'b', 'c'], 'd');
    expect(called.map(({ status, err }) => [status, err])).toEqual([
      [0, ''],
      [0, ''],
      [0, ''],
    ]);
  }, 120_000);
});
