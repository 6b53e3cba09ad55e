import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { registerSchema, validate } from '@hyperjump/json-schema/draft-2020-12';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parsePipeline } from '../../src/pipeline/parse-pipeline.ts';
import { Chain, EXAMPLE, GATES, oneOfEach, PAGE, readDefinition } from './web-tests.ts';
import { IS_FULL } from '../support/test-size.ts';

const FROM_PAGE = ['map', 'code', 'execute', 'learn'] as const;

let chain: Chain;
beforeAll(async () => {
  chain = await Chain.create();
  await chain.run(GATES);
});
afterAll(async () => {
  await chain[Symbol.asyncDispose]();
});

/** A second chain that has the first one's data and test cases, so that only what the page decides runs. */
async function sameStory(): Promise<Chain> {
  const other = await Chain.create();
  await other.run(['data']);
  other.outputs.design = chain.outputs.design;
  return other;
}

describe('the worked example, agent by agent', () => {
  it('is a pipeline that the file format accepts', async () => {
    const parsed = parsePipeline(await readFile(join(EXAMPLE, 'gateline.yml'), 'utf8'), 'gateline.yml');
    expect(parsed).toMatchObject({ ok: true, warnings: [] });
  });

  it.each(GATES)('gate %s meets its schema and its threshold', async (gate) => {
    const { output } = (await readDefinition()).gates[gate];
    const schema = JSON.parse(await readFile(join(EXAMPLE, output.schema), 'utf8'));
    registerSchema(schema, `https://schemas.test/${gate}`);
    const accepts = await validate(`https://schemas.test/${gate}`);
    const value = JSON.parse(JSON.stringify(chain.outputs[gate]));
    expect(accepts(value).valid).toBe(true);
    expect(accepts({ ...value, unasked: 1 }).valid).toBe(false);
    expect(chain.outputs[gate].validationResult.score).toBeGreaterThanOrEqual(output.threshold);
  });

  it('executes every test case three times and passes', () => {
    const tests = chain.outputs.design.testCases.length;
    const run = (runNumber: number) => ({ runNumber, status: 'PASS', passedTests: tests, failedTests: 0 });
    expect(tests).toBeGreaterThan(20);
    expect(chain.outputs.execute.results).toEqual([run(1), run(2), run(3)]);
    expect(chain.outputs.execute.finalStatus).toMatchObject({ passRate: 100, failedTests: 0 });
    expect(chain.outputs.code.compilationErrors).toBe(0);
    expect(chain.outputs.map.specialComponents.map(({ type }: { type: string }) => type)).toEqual([
      'date-picker',
      'modal',
    ]);
  });

  it.runIf(IS_FULL)('comes to the same bytes again, but for the time that it took', async () => {
    await using again = await Chain.create();
    await again.run(GATES);
    for (const gate of GATES)
      expect(JSON.stringify(again.exported(gate)), gate).toBe(JSON.stringify(chain.exported(gate)));
    const files = [chain.outputs.data.dataFile, ...chain.outputs.code.files, chain.outputs.learn.knowledgeFile];
    for (const file of files) {
      expect(await readFile(join(again.root, file), 'utf8'), file).toBe(await readFile(join(chain.root, file), 'utf8'));
    }
  });

  it.runIf(IS_FULL)('hands on the same after an edit of nothing but comments and white space in the page', async () => {
    await using edited = await sameStory();
    await edited.edit(
      PAGE,
      '<form novalidate>',
      '<!-- First Name -->\n\n\n<form   novalidate><!-- <label>Email</label> -->',
    );
    await edited.run(['map', 'code', 'execute']);
    for (const gate of ['map', 'code', 'execute'] as const) expect(edited.exported(gate)).toEqual(chain.exported(gate));
  });

  it.runIf(IS_FULL)('follows a label that people read alike: another mapping, other code, and it passes', async () => {
    await using edited = await sameStory();
    await edited.edit(PAGE, '>First Name</label>', '>First name:</label>');
    await edited.run(FROM_PAGE);
    for (const gate of ['map', 'code', 'learn'] as const)
      expect(edited.outputs[gate].validationResult.score, gate).toBe(100);
    expect(edited.exported('map')).not.toEqual(chain.exported('map'));
    expect(edited.exported('code')).not.toEqual(chain.exported('code'));
    expect(edited.outputs.execute.finalStatus.passRate).toBe(100);
  });
});

describe.runIf(IS_FULL)('a label that the acceptance criteria name is broken', () => {
  const broken = [
    ['First Name', '>First Name</label>', 'people read "Changed" where the acceptance criteria say "First Name"'],
    ['Mobile', '>Mobile</label>', 'the page has no element for "Mobile"'],
    ['City', '<legend>Current address</legend>', 'the page has no element for "City"'],
    ['Register', '>Register</button>', 'people read "Changed" where the acceptance criteria say "Register"'],
  ] as const;
  it.each(broken)('%s: gates 2 and 3 pass, gate 4 fails and names it', async (label, text, message) => {
    await using edited = await sameStory();
    await edited.edit(PAGE, text, text.replace(/>[^<]+</, '>Changed<'));
    edited.outputs.design = { ...chain.outputs.design, testCases: oneOfEach(chain.outputs.design.testCases) };
    await edited.run(['map', 'code', 'execute']);
    for (const gate of ['map', 'code'] as const) {
      expect(edited.outputs[gate].validationResult.score, gate).toBeGreaterThanOrEqual(80);
    }
    expect(edited.outputs.execute.finalStatus.passRate).toBeLessThan(90);
    expect(edited.outputs.execute.failures).toContainEqual(
      expect.objectContaining({ label, message, runs: [1, 2, 3] }),
    );
  });

  it('a rule that the page forgets fails the tests about that rule, and no others', async () => {
    await using edited = await sameStory();
    await edited.edit(PAGE, /digits: \(value, data\) => .+,/, 'digits: () => true,');
    await edited.run(['map', 'code', 'execute']);
    expect(edited.exported('map')).toEqual(chain.exported('map'));
    const labels = edited.outputs.execute.failures.map((failure: { label: string }) => failure.label);
    expect(new Set(labels)).toEqual(new Set(['Mobile']));
    expect(labels).toHaveLength(3);
  });
});
