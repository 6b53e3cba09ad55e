import { describe, expect, it } from 'vitest';
import { readDispatch } from '../../../src/action/event/dispatch.ts';

const sender = { login: 'maria', type: 'User' };
const DIGEST = `sha256:${'a'.repeat(64)}`;

const read = (inputs: unknown, more: object = { sender }): unknown =>
  readDispatch('workflow_dispatch', { inputs, ...more });

describe('the inputs of a workflow_dispatch', () => {
  it('say what the run is to do, and who started it', () => {
    const inputs = { resume: '12', decision: 'approve', gate: 'draft', digest: DIGEST, reason: ' fine ', strategy: '' };
    expect(read(inputs)).toEqual({
      resume: '12',
      decision: 'approve',
      gate: 'draft',
      digest: DIGEST,
      reason: 'fine',
      sender: { login: 'maria', isBot: false },
    });
    expect(read({ resume: '12', rework: '{"count":1}' })).toMatchObject({ rework: '{"count":1}' });
  });

  it('are those of the workflow itself if they name no run', () => {
    for (const inputs of [
      {},
      null,
      undefined,
      'x',
      { resume: true },
      { resume: 'yes' },
      { resume: '', strategy: 'retry-current', decision: '', from: ' ' },
      { resume: '', strategy: 'rolling', other: 7 },
      { decision: 'approve', gate: 'a' },
      { strategy: 'rolling', from: 'v1' },
    ])
      expect(read(inputs), JSON.stringify(inputs)).toBeUndefined();
  });

  it('are of no other event', () => {
    for (const name of ['push', 'pull_request', 'repository_dispatch'])
      expect(readDispatch(name, { inputs: { resume: '12' }, sender }), name).toBeUndefined();
  });

  it.each([
    [{ resume: 'x', decision: 'approve', gate: 'a' }, /resume: expected the id/],
    [{ resume: '', decision: 'approve', gate: 'a' }, /name the run to continue as `resume`/],
    [{ resume: '', from: 'a' }, /name the run to continue as `resume`/],
    [{ resume: ' ', strategy: 'retry-previous' }, /name the run to continue as `resume`/],
    [{ resume: '1', decision: 7, gate: 'a' }, /decision: expected text/],
    [{ resume: '', decision: ['approve'], gate: 'a' }, /decision: expected text/],
    [{ resume: '1', decision: 'approve', gate: 'a', digest: 12 }, /digest: expected text/],
    [{ resume: '1', decision: 'approve', gate: 'a', digest: {}, reason: false }, /digest, reason: expected text/],
    [{ resume: '1', gate: 'a' }, /gate: name the decision/],
    [{ resume: '1', digest: DIGEST }, /digest: name the decision/],
    [{ resume: '1', decision: 'reject', gate: 'a', reason: ' ' }, /a reason is needed/],
    [{ resume: '1', decision: 'accept', gate: 'a' }, /decision: /],
    [{ resume: '1', decision: 'approve' }, /name the gate/],
    [{ resume: '1', decision: 'approve', gate: 'a', digest: 'abc' }, /digest: /],
    [{ resume: '1', strategy: 'from-checkpoint' }, /name the gate as `from`/],
    [{ resume: '1', strategy: 'retry-current', from: 'a' }, /from: not with/],
    [{ resume: '1', decision: 'skip', gate: 'a' }, /a reason is needed/],
    [{ resume: '1', decision: 'approve', gate: 'a', reason: '' }, /a reason is needed/],
    [{ resume: '1', decision: 'force', gate: 'a' }, /a reason is needed/],
    [{ resume: '1', strategy: 'skip-current' }, /a reason is needed/],
    [{ resume: '1', decision: 'adopt', gate: 'a', reason: 'x' }, /name the output as `digest`/],
    [{ resume: '1', decision: 'adopt', gate: 'a', digest: DIGEST }, /a reason is needed/],
  ])('are refused if they are invalid or incomplete: %j', (inputs, message) => {
    expect(() => read(inputs)).toThrow(
      expect.objectContaining({ code: 'DISPATCH_INVALID', message: expect.stringMatching(message) }),
    );
  });

  it.each([
    ['pause', /cancel it/],
    ['close', /cancel it/],
    ['rollback', /`from`/],
    ['toString', /Start the workflow again/],
  ])('name the decisions that there are, and what to do instead of %s', (decision, hint) => {
    const message = expect.stringContaining(
      `"${decision}" is not one of approve, reject, skip, force, adopt`,
    ) as string;
    expect(() => read({ resume: '1', gate: 'a', reason: 'x', decision })).toThrow(
      expect.objectContaining({ code: 'DISPATCH_INVALID', message, hint: expect.stringMatching(hint) }),
    );
  });

  it('are of a bot unless the event names a person', () => {
    const bot = { login: 'github-actions[bot]', type: 'Bot' };
    expect(read({ resume: '1' }, { sender: bot })).toMatchObject({ sender: { isBot: true } });
    expect(read({ resume: '1' }, {})).toMatchObject({ sender: undefined });
    expect(read({ resume: '1' }, { sender: { login: 7 } })).toMatchObject({ sender: undefined });
  });
});
