import { describe, expect, it } from 'vitest';
import { firstThrown, GatelineError, isDiskFull } from '../../src/errors/gateline-error.ts';

describe('what was thrown first', () => {
  it('is told where giving something back failed too', () => {
    const work = new Error('work');
    const once = new SuppressedError(new Error('close'), work);
    const twice = new SuppressedError(new Error('unlock'), once);
    expect([work, once, twice, 'a text'].map(firstThrown)).toEqual([work, work, work, 'a text']);
  });

  it('is told for the errors that compiled code makes where Node has no such class', () => {
    const made = Object.assign(new Error('An error was suppressed'), { error: 1, suppressed: 2 });
    made.name = 'SuppressedError';
    expect(firstThrown(made)).toBe(2);
  });
});

describe('a full disk', () => {
  const system = (code: string) => Object.assign(new Error(code), { code, syscall: 'write' });
  const ours = (cause: unknown) => new GatelineError('STORE_WRITE_FAILED', 'x', { cause });

  it('is known by its error, and by that of which it is the cause', () => {
    const full = [system('ENOSPC'), system('EDQUOT'), ours(system('ENOSPC')), ours(ours(system('EDQUOT')))];
    expect(full.map(isDiskFull)).toEqual([true, true, true, true]);
    expect([system('EACCES'), ours(system('EIO')), ours('ENOSPC'), 'ENOSPC'].map(isDiskFull)).not.toContain(true);
  });
});
