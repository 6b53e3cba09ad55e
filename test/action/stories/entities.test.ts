import { describe, expect, it } from 'vitest';
import { agent, logsOf, pipelineFiles, troubles, useGithub, worked, type GateEntry } from './support.ts';

/** A pipeline with entities: they are keys beside its gates. */
function entityFiles(gates: Readonly<Record<string, GateEntry>>, more: object): Record<string, string> {
  const files = pipelineFiles(gates);
  const definition = JSON.parse(files['gateline.yml']!) as object;
  return { ...files, 'gateline.yml': JSON.stringify({ ...definition, ...more }), 'score.txt': '50' };
}

const PRINT = 'echo "given $(cat "$GATELINE_ENTITIES")"';

describe('entities in jobs', () => {
  const world = useGithub();

  it('go from job to job with what created them, also over jobs between and with outputs that are used again', async () => {
    const gates: Record<string, GateEntry> = {
      deploy: { run: agent('{"url": "https://x.test"}'), inputs: [], creates: 'deployment' },
      seed: { needs: ['deploy'], run: agent('{}'), inputs: [] },
      test: {
        needs: ['seed'],
        run: agent('{"score": $(cat score.txt)}', PRINT),
        inputs: ['score.txt'],
        output: { score: '/score' },
        requires: ['deployment', 'account'],
        'on-invalid': 'recover',
      },
      remove: { needs: ['test'], run: agent('{}'), inputs: [], invalidates: 'deployment' },
      after: { needs: ['remove'], run: agent('{}'), inputs: [], requires: 'deployment' },
    };
    const entities = { deployment: null, account: { 'depends-on': [] } };
    const commands = { register: { syntax: "sh -c 'echo maria'", creates: 'account' } };
    const repository = await world.create({ files: entityFiles(gates, { entities, commands }) });
    const first = await repository.push();
    expect(worked(first)).toEqual(['deploy', 'seed', 'test']);
    expect(first.job('test').log).toContain('given {"deployment":{"url":"https://x.test"},"account":"maria"}');
    const second = await repository.push({ files: { 'score.txt': '90' } });
    expect([worked(second), troubles(second)], logsOf(second)).toEqual([
      ['remove', 'test'],
      ['after failure', 'report failure'],
    ]);
    expect(second.job('test').log).toContain('given {"deployment":{"url":"https://x.test"},"account":"maria"}');
    expect(second.job('after').log).toContain("Required state 'deployment' is not valid");
    expect(second.job('after').log).toContain('deployment: gate remove made it invalid.');
  });

  it('are changed by gates alone: an agent that runs a command is told so', async () => {
    const program = `${process.execPath} ${new URL('../../../src/cli/index.ts', import.meta.url).pathname}`;
    const gates = { test: { run: `${program} do start || true\n${agent('{}')}`, inputs: [] } };
    const files = entityFiles(gates, {
      entities: { server: null },
      commands: { start: { syntax: 'true', creates: 'server' } },
    });
    const run = await (await world.create({ files })).push();
    expect(run.job('test').log, logsOf(run)).toContain(
      'an agent in a job on GitHub cannot change entities by commands',
    );
  });
});
