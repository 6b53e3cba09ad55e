import { describe, expect, it } from 'vitest';
import { readInputs, variableOf, type ActionName } from '../../src/action/inputs.ts';
import { inputsOf } from './support.ts';

describe('the inputs of a step', () => {
  it('are empty if nobody wrote them, and never blanks', () => {
    const inputs = inputsOf('gate', { gate: '  ', threshold: ' ', files: '\n\n', run: ' make ' });
    expect(inputs).toMatchObject({
      gate: undefined,
      threshold: undefined,
      files: [],
      secrets: [],
      'no-secret': 'fail',
    });
    expect(inputs.run).toBe(' make ');
    expect(inputsOf('complete', { token: 'x' }).outcome).toBe('success');
    expect(inputsOf('report', { needs: '{}' })).toMatchObject({ comment: false, dispatch: false, 'allow-skipped': [] });
  });

  it('are lists, numbers and choices', () => {
    expect(
      inputsOf('gate', {
        checks: ' output.a == "x, y" \n\n output.b ',
        secrets: 'A, B\nC',
        threshold: '72.5',
        'outage-minutes': '0',
        'retention-days': '400',
        'no-secret': 'skip',
      }),
    ).toMatchObject({
      checks: ['output.a == "x, y"', 'output.b'],
      secrets: ['A', 'B', 'C'],
      threshold: 72.5,
      'outage-minutes': 0,
      'retention-days': 400,
      'no-secret': 'skip',
    });
    expect(inputsOf('report', { needs: '{}', comment: ' true ' }).comment).toBe(true);
  });

  it.each<[ActionName, Record<string, string>, string]>([
    ['gate', { threshold: '101' }, '`threshold`'],
    ['gate', { threshold: 'high' }, '`threshold`'],
    ['gate', { 'retention-days': '1.5' }, '`retention-days`'],
    ['gate', { 'retention-days': '0' }, '`retention-days`'],
    ['gate', { 'no-secret': 'maybe' }, '`no-secret`'],
    ['gate', { 'github-token': '' }, '`github-token`: must have a value'],
    ['report', { needs: '{}', comment: 'yes' }, '`comment`: must be true or false'],
    ['report', {}, '`needs`: must have a value'],
    ['complete', { token: ' ' }, '`token`: must have a value'],
    ['gate', { treshold: '90' }, 'there is no input `treshold`: did you mean `threshold`?'],
    ['gate', { 'retention-day': '3' }, 'did you mean `retention-days`?'],
    ['apply', { needs: '{}', alow: '.github/**' }, 'did you mean `allow`?'],
  ])('%s refuses %j', (name, values, message) => {
    expect(() => inputsOf(name, values)).toThrow(message);
    expect(() => inputsOf(name, values)).toThrow(expect.objectContaining({ fault: 'usage' }) as Error);
  });

  it('names every problem at once, and leaves variables of others alone', () => {
    const wrong = { threshold: '-1', 'no-secret': 'x', scoer: '/a' };
    expect(() => inputsOf('gate', wrong)).toThrow(/scoer[^]*threshold[^]*no-secret/);
    expect(readInputs('comment', { [variableOf('github-token')]: 't', INPUT_COLOR_OF_MY_OWN: '1' })).toMatchObject({
      file: undefined,
    });
  });
});
