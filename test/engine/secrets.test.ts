import { describe, expect, it } from 'vitest';
import { runPipeline, type RunResult } from '../../src/engine/run-pipeline.ts';
import type { Gate } from '../../src/pipeline/pipeline.ts';
import { engineWorld, type AgentScript, type EngineWorld } from '../support/engine-world.ts';
import { gateOf, pipelineOf } from '../support/pipelines.ts';

const SECRET = 's3cr3t-value!';

/** Runs one gate that is given a secret, and looks through all that was kept of it. */
async function ran(script: AgentScript, gate: Partial<Gate> = {}): Promise<{ world: EngineWorld; result: RunResult }> {
  const world = engineWorld(script);
  world.environment['API_KEY'] = SECRET;
  const result = await world.run(pipelineOf({ a: { secrets: ['API_KEY'], ...gate } }));
  const kept = [...world.medium.contents.values(), ...[...world.medium.records.values()].map(({ bytes }) => bytes)];
  for (const bytes of kept) expect(Buffer.from(bytes as Uint8Array).toString()).not.toContain(SECRET);
  expect(result.state.units.get('a')?.ended).toBeDefined();
  return { world, result };
}

describe('a secret never reaches what is kept', () => {
  it('through the output, its keys or its exports', async () => {
    const { result } = await ran(() => ({ output: { said: `it is ${SECRET}`, [SECRET]: 1 } }));
    expect(result.state.status).toBe('completed');
  });

  it('through what the agent learnt or tells of itself', async () => {
    const { result } = await ran(() => ({ output: 1, learnings: `use ${SECRET}`, metrics: { model: SECRET } }));
    expect(result.state.units.get('a')?.ended).toMatchObject({ metrics: { model: '***' } });
    expect(result.state.units.get('a')?.ended?.learnings).toBeDefined();
  });

  it('through an output that is no JSON', async () => {
    const files: string[] = [];
    const world = engineWorld(() => ({ raw: `{"key": ${SECRET}` }));
    world.environment['API_KEY'] = SECRET;
    const ports = world.ports();
    const create: typeof ports.attempts.create = async (id) => {
      const directory = await ports.attempts.create(id);
      const write: typeof directory.write = async (name, chunks) => {
        const text = [...chunks].join('');
        files.push(text);
        await directory.write(name, [text]);
      };
      return { ...directory, write };
    };
    const pipeline = pipelineOf({ a: { secrets: ['API_KEY'] } });
    await runPipeline(
      { ...ports, attempts: { ...ports.attempts, create } },
      { pipeline, subject: 'subject', metadata: {}, input: null },
      { observe: () => undefined, signal: new AbortController().signal },
    );
    expect(files.join('\n')).toContain('{"key": ***');
    expect(files.join('\n')).not.toContain(SECRET);
  });

  it('through the reason why an agent was not started, or through a verdict', async () => {
    const message = `cannot run ${SECRET}`;
    const { result } = await ran(() => ({ result: { outcome: 'not-started', message } }));
    expect(result.state.units.get('a')?.ended?.verdict).toMatchObject({ kind: 'not-started' });
    const schema = { inline: { const: 'something else' } };
    await ran(() => ({ output: { x: SECRET } }), { contract: { ...gateOf('a').contract, schema } });
  });

  it('through the request: values that the pipeline itself passes on', async () => {
    await ran(() => ({ output: 1 }), { with: { key: SECRET } });
  });
});
