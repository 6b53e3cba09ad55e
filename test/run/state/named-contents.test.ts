import { expect, it } from 'vitest';
import { digestOf } from '../../../src/json/digest.ts';
import { contentsNamedBy } from '../../../src/run/state/named-contents.ts';
import { mentionedBy } from '../../../src/store/github/records/record-contents.ts';
import { decidedRecord } from '../../contract/samples.ts';

it('a decision to use an output needs the request that it is bound to, here and on GitHub', () => {
  const request = digestOf('request');
  const decided = decidedRecord({ decision: 'adopt', request });
  expect(contentsNamedBy(decided)).toEqual([request]);
  expect(mentionedBy(decided).map(({ digest }) => digest)).toEqual([request]);
  expect(contentsNamedBy(decidedRecord({ decision: 'adopt' }))).toEqual([]);
});
