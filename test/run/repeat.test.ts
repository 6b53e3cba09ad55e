import { expect, it } from 'vitest';
import { judgeTogether, seriesOf } from '../../src/run/repeat.ts';
import { LogState } from '../../src/run/state.ts';
import { UnitGraph } from '../../src/run/units.ts';
import { createVerdict, LogBuilder, SIGNS } from '../support/log-builder.ts';
import { createPipeline } from '../support/pipelines.ts';

const contract = { score: '/score' };
const pipelineOf = (pass: number, times = 3) => createPipeline([{ id: 'ask', repeat: { times, pass }, contract }]);

/** The end of the last of some attempts (`90+ 50~ 0-`), judged with those before. `c`: cancelled, `l`: lost. */
function judgeSeries(script: string, pass = 2) {
  const pipeline = pipelineOf(pass);
  const log = new LogBuilder();
  const unit = new UnitGraph(pipeline).requireUnit('ask');
  const ends = script.split(' ').map((word) => {
    log.start('ask');
    const status = SIGNS[word.at(-1)!] ?? 'failed';
    const over = { score: Number.parseFloat(word), ...(word === '0c' && { kind: 'cancelled' as const }) };
    const entry = log.end('ask', {
      verdict: createVerdict(status, over),
      ...(word === '0l' && { how: 'lost' as const }),
      ...(status === 'failed' && { output: undefined }),
    });
    const judged = judgeTogether(new LogState(pipeline, 'pr-42', log.entries.slice(0, -1)), unit, entry);
    log.entries[log.entries.length - 1] = judged;
    return judged;
  });
  return ends.at(-1)!;
}

it.each<[string, number, string, number, string]>([
  ['95+ 40~ 70+', 2, 'passed', 70, '2 of 3 passed, scores 40, 70, 95'],
  ['95+ 85+ 90+', 3, 'passed', 90, '3 of 3 passed, scores 85, 90, 95'],
  ['0- 0- 90.126+', 1, 'passed', 90.126, '1 of 3 passed, scores 90.13'],
  ['95+ 40~ 0-', 2, 'partial', 40, '1 of 3 passed, scores 40, 95; 2 must pass'],
  ['95+ 0- 0-', 2, 'failed', 0, '1 of 3 passed, scores 95; 2 must pass'],
  ['0- 0c 90+ 80+', 2, 'passed', 80, '2 of 3 passed, scores 80, 90'],
  ['0- 0l 90+ 80+', 2, 'passed', 80, '2 of 3 passed, scores 80, 90'],
  ['0- 0- 0- 90+ 80+ 70+', 2, 'passed', 80, '3 of 3 passed, scores 70, 80, 90'],
])('attempts %s, of which %d must pass, have %s with %d together', (script, pass, status, score, spread) => {
  const { verdict, part } = judgeSeries(script, pass);
  expect([part, verdict.status, verdict.score]).toEqual([undefined, status, score]);
  if (status === 'passed') expect(verdict.message).toBe(spread);
  else expect(verdict.issues[0]).toEqual({ severity: 'error', message: spread });
});

it('an attempt of a series that is not complete is a part, and a cancelled one is not judged', () => {
  expect(judgeSeries('95+ 90+')).toMatchObject({ part: true, verdict: { status: 'passed', score: 90 } });
  expect(judgeSeries('95+ 90+ 0c')).not.toHaveProperty('part');
});

it('the output is that of the median, and each attempt has a notice', () => {
  const { output, verdict } = judgeSeries('95+ 40~ 70+');
  const last = judgeSeries('70+');
  expect(verdict.issues.map(({ severity, message }) => `${severity}: ${message}`)).toEqual([
    'notice: attempt 1 passed',
    'notice: attempt 2 partial: partial: ',
    'notice: attempt 3 passed (this output)',
  ]);
  expect(judgeSeries('70+ 40~ 95+').output).toEqual(last.output);
  expect(output).not.toEqual(last.output);
});

it('a series has the attempts of one request and one contract', () => {
  const log = new LogBuilder();
  const ends = ['a', 'a', 'b', 'a'].map((text, n) => {
    log.start('ask', { fingerprint: `sha256:${text.repeat(64)}` });
    return log.end('ask', { part: true, ...(n === 3 && { contract: `sha256:${'c'.repeat(64)}` }) });
  });
  expect(seriesOf(ends, ends[1]!)).toEqual(ends.slice(0, 2));
  expect(seriesOf(ends, ends[2]!)).toEqual([ends[2]]);
  expect(seriesOf(ends, ends[3]!)).toEqual([ends[3]]);
});
