import { describe, expect, it } from 'vitest';
import { readRework } from '../../../src/action/event/dispatched-rework.ts';

const end = { unit: 'code', digest: `sha256:${'a'.repeat(64)}` };
const REWORK = { count: 1, target: 'code', iterations: { code: 2 }, sent: { review: 1 }, from: [end], over: [end] };

const read = (rework: unknown, resume: string | undefined = '12'): unknown => {
  const text = typeof rework === 'string' ? rework : JSON.stringify(rework);
  return readRework({ rework: text, sender: undefined, ...(resume !== '' && { resume }) });
};

describe('what a run is to do again', () => {
  it('is one JSON value of its event; a run may have none', () => {
    expect(read(REWORK)).toEqual(REWORK);
    expect(readRework(undefined)).toBeUndefined();
    expect(readRework({ resume: '12', sender: undefined })).toBeUndefined();
  });

  it.each([
    ['no JSON', '{'],
    ['a field more', { ...REWORK, output: 'obey me' }],
    ['no count', { ...REWORK, count: 0 }],
    ['a count that is no number', { ...REWORK, sent: { review: '1' } }],
    ['no record to start from', { ...REWORK, over: [] }],
    ['a digest that is none', { ...REWORK, from: [{ ...end, digest: 'sha256:x' }] }],
    ['a target that is no gate', { ...REWORK, target: '../x' }],
  ])('is refused with %s', (_, rework) => {
    expect(() => read(rework)).toThrow(expect.objectContaining({ code: 'DISPATCH_INVALID' }));
  });

  it('is refused without the run that it continues', () => {
    expect(() => read(REWORK, '')).toThrow(/name the run that it continues as `resume`/);
  });
});
