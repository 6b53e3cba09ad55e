import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proveCheck } from '../../../src/action/decisions/check-proof.ts';
import {
  externalIdOf,
  readExternalFrom,
  readExternalId,
  type ApiCheckRun,
  type CheckedDecision,
  type CheckedFrom,
} from '../../../src/action/decisions/check-run.ts';
import { digestOf } from '../../../src/json/digest.ts';
import type { StoredComment } from '../../support/github/model.ts';
import { restClient } from '../../support/github/rest-client.ts';
import { startResultsService, type ResultsService } from '../../support/github/results-service.ts';

const HEAD = 'a'.repeat(40);
const FILE = '.github/workflows/gates.yml';
const position = { runNumber: 1, runAttempt: 2, n: 0 };
const APPROVE: CheckedDecision = {
  decision: 'approve',
  decidingRun: 90,
  comment: 4,
  aboutRun: 70,
  position,
  fingerprint: digestOf('request'),
  output: digestOf('output'),
};
const SKIP: CheckedFrom = { decision: 'skip', gate: 'review', decidingRun: 90, comment: 4, aboutRun: 70, position };

let service: ResultsService;
beforeAll(async () => {
  service = await startResultsService();
  service.world.collaborators.set('maria', 'write').set('rita', 'read');
  const at = new Date('2026-01-02T00:00:00Z');
  for (const [id, path, createdAt] of [
    [70, FILE, at],
    [71, '.github/workflows/other.yml', at],
    [72, FILE, new Date('2026-01-04T00:00:00Z')],
  ] as const)
    service.addRun({ id, path, headSha: HEAD, status: 'completed', event: 'pull_request', createdAt });
});
afterAll(() => service[Symbol.asyncDispose]());

/** Proves a check run whose comment, event and id are as they should be but for some of it. */
async function prove(
  checked: CheckedDecision | CheckedFrom,
  comment: Partial<StoredComment> = {},
  { pull = 7, unit = 'review', app = 'github-actions' } = {},
): Promise<string> {
  const at = new Date('2026-01-03T00:00:00Z');
  const author = { login: 'maria', id: 1, type: 'User' } as const;
  const word = checked.decision === 'skip' ? '/gateline skip review no need' : '/gateline approve review';
  const written = { id: 4, repository: 'octo/gates', issue: 7, author, createdAt: at, updatedAt: at, body: word };
  service.world.comments.splice(0, Infinity, { ...written, reactions: [], ...comment });
  const check: ApiCheckRun = {
    id: 1,
    name: 'x',
    head_sha: HEAD,
    external_id: externalIdOf(checked),
    app: { slug: app },
  };
  const event = {
    startedFile: FILE,
    repository: 'octo/gates',
    pullRequest:
      pull === 0
        ? undefined
        : { number: pull, headRepository: undefined, headSha: HEAD, headBranch: undefined, baseSha: undefined },
  };
  const read = readExternalId(check.external_id!) ?? readExternalFrom(check.external_id!);
  expect(read).toEqual(checked);
  const proof = await proveCheck(restClient(service), event, check, read, unit);
  return 'why' in proof ? proof.why : `${proof.checked.decision} by ${proof.actor}: ${proof.reason}`;
}

describe('a check run that names a comment', () => {
  it('decides what the comment says', async () => {
    expect(await prove(APPROVE)).toBe('approve by maria: ');
    expect(await prove(APPROVE, { body: `/gateline approve review ${HEAD.slice(0, 9)}` })).toBe('approve by maria: ');
    expect(await prove(SKIP)).toBe('skip by maria: no need');
    const from: CheckedFrom = { ...SKIP, decision: 'from' };
    expect(await prove(from, { body: '/gateline resume from review' })).toBe('from by maria: ');
  });

  const late = new Date('2026-01-05T00:00:00Z');
  it.each<[string, CheckedDecision | CheckedFrom, Partial<StoredComment>, Parameters<typeof prove>[2], string]>([
    ['of another app', APPROVE, {}, { app: 'evil' }, 'another app wrote it'],
    ['in a run of no pull request', APPROVE, {}, { pull: 0 }, 'this run is of no pull request'],
    ['on another pull request', APPROVE, { issue: 8 }, {}, 'comment 4 is not one of pull request 7'],
    ['that is gone', { ...APPROVE, comment: 5 }, {}, {}, 'there is no comment 5'],
    ['that was edited', APPROVE, { updatedAt: late }, {}, 'the comment was edited'],
    ['that says something else', APPROVE, { body: '/gateline reject review bad' }, {}, 'comment 4 says something else'],
    ['about another gate', APPROVE, {}, { unit: 'publish' }, 'comment 4 says something else'],
    ['that says nothing', APPROVE, { body: 'fine' }, {}, 'comment 4 does not begin with a command'],
    ['for another decision', SKIP, { body: '/gateline retry review' }, {}, 'comment 4 says something else'],
    [
      'of a reader',
      APPROVE,
      { author: { login: 'rita', id: 2, type: 'User' } },
      {},
      'rita is not a person who may write to the repository',
    ],
    [
      'of a program',
      APPROVE,
      { author: { login: 'github-actions[bot]', id: 2, type: 'Bot' } },
      {},
      'github-actions[bot] is not a person who may write to the repository',
    ],
    [
      'about another commit',
      APPROVE,
      { body: '/gateline approve review bbbbbbb' },
      {},
      'comment 4 is about another commit',
    ],
    ['about a run of another workflow', { ...APPROVE, aboutRun: 71 }, {}, {}, 'run 71 is of another workflow'],
    ['that is older than the run', { ...APPROVE, aboutRun: 72 }, {}, {}, 'comment 4 is older than run 72'],
  ])('decides nothing with a comment %s', async (_, checked, comment, options, why) => {
    expect(await prove(checked, comment, options)).toBe(why);
  });

  it('is the only one that skips a gate or runs it again alone', async () => {
    const { comment: _, ...skip } = SKIP;
    expect(await prove(skip)).toBe('it names no comment');
    expect(await prove({ ...skip, decision: 'retry' })).toBe('it names no comment');
  });
});
