import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseComment } from '../../../src/action/decisions/comment-command.ts';

describe('a command', () => {
  it.each([
    ['/gateline status', { do: 'status' }],
    ['/gateline plan\n', { do: 'plan' }],
    ['/gateline  resume  ', { do: 'resume' }],
    ['/gateline resume from implement', { do: 'resume', from: 'implement' }],
    ['/gateline retry browsers/chrome-linux', { do: 'retry', gate: 'browsers/chrome-linux' }],
    ['/gateline skip e2e the site is down\r\nmore', { do: 'skip', gate: 'e2e', reason: 'the site is down' }],
    ['/gateline approve review', { do: 'approve', gate: 'review' }],
    ['/gateline approve review 0a1b2c3', { do: 'approve', gate: 'review', commit: '0a1b2c3' }],
    ['/gateline reject review `x` <b> @all #1', { do: 'reject', gate: 'review', reason: '`x` <b> @all #1' }],
  ])('%j is read', (body, command) => {
    expect(parseComment(body)).toEqual({ command });
  });

  it.each([
    ['nothing in it', ''],
    ['quoted', '> /gateline approve review'],
    ['indented', ' /gateline approve review'],
    ['on the second line', 'LGTM\n/gateline approve review'],
    ['on the second line, after a blank one', '\n/gateline approve review'],
    ['after a mark for the order of bytes', '\ufeff/gateline approve review'],
    ['after an invisible character', '\u200b/gateline approve review'],
    ['after a comment of HTML', '<!-- --> /gateline approve review'],
    ['in a block of code', '```\n/gateline approve review\n```'],
    ['in a code span', '`/gateline approve review`'],
    ['another command', '/gatelineapprove review'],
    ['another spelling', '/Gateline approve review'],
    ['another slash', '\u2215gateline approve review'],
    ['a tab after the name', '/gateline\tapprove review'],
    ['a wide space after the name', '/gateline\u00a0approve review'],
    ['a line that ends in the middle', '/gate\nline approve review'],
  ])('is none: %s', (_, body) => {
    expect(parseComment(body)).toBeUndefined();
  });

  it.each([
    ['no word', '/gateline'],
    ['no such word', '/gateline deploy'],
    ['a word of the prototype', '/gateline __proto__ review'],
    ['a word of every object', '/gateline constructor'],
    ['a word in capitals', '/gateline APPROVE review'],
    ['no gate', '/gateline approve'],
    ['a gate on the next line', '/gateline approve\nreview'],
    ['an expression', '/gateline approve ${{ github.token }}'],
    ['a command of a shell', '/gateline approve $(id)'],
    ['a second command', '/gateline approve review; rm -rf /'],
    ['two gates', '/gateline approve review translate'],
    ['a gate in capitals', '/gateline approve Review'],
    ['a gate with a path', '/gateline retry ../../etc/passwd'],
    ['a gate with two legs', '/gateline retry a/b/c'],
    ['a gate that is an option', '/gateline retry --force'],
    ['a very long gate', `/gateline retry ${'a'.repeat(300)}`],
    ['a commit that is too short', '/gateline approve review 0a1b'],
    ['a commit that is a branch', '/gateline approve review main'],
    ['more after the commit', '/gateline approve review 0a1b2c3 now'],
    ['no reason to skip', '/gateline skip review'],
    ['a reason of spaces', '/gateline skip review    '],
    ['a reason on the next line', '/gateline reject review\nbad'],
    ['more after status', '/gateline status now'],
    ['resume of a gate without from', '/gateline resume review'],
    ['resume from two gates', '/gateline resume from a b'],
    ['a control character', '/gateline skip review \u001b[2J'],
    ['a workflow command after a carriage return', '/gateline skip review x\r::set-output name=a::b'],
    ['a separator of lines', '/gateline skip review x\u2028::error::y'],
    ['a NUL', '/gateline skip review x\0'],
  ])('is refused: %s', (_, body) => {
    const read = parseComment(body);
    expect(read).toEqual({ problem: expect.stringMatching(/^[a-z ]+$/) as string });
  });

  it('never throws, and its reason is one bounded line', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 3_000 }), (text) => {
        const read = parseComment(`/gateline skip review ${text}`);
        if (read === undefined || 'problem' in read || !('reason' in read.command)) return;
        expect(read.command.reason.length).toBeLessThanOrEqual(1_000);
        expect(read.command.reason).not.toMatch(/[\0-\x1f\x7f]/);
      }),
    );
  });
});
