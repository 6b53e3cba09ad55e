import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGithub, type Github } from '../support/github/github.ts';
import { createRepository, type TestRepository } from '../support/runner/repository.ts';

const DEFINITION = `
pipeline: chain
gates:
  design:
    run: |
      echo "design works"
      printf '{"plan": "%s"}' "$(cat idea.txt)" > "$GATELINE_OUTPUT"
    shell: sh
    inputs: [idea.txt]
  implement:
    needs: design
    run: |
      echo "implement works"
      cp idea.txt made.txt
      printf '{"done": true}' > "$GATELINE_OUTPUT"
    shell: sh
    inputs: [idea.txt]
    files: [made.txt]
  review:
    needs: implement
    run: |
      echo "review works"
      printf '{"score": %s}' "$(cat score.txt)" > "$GATELINE_OUTPUT"
    shell: sh
    inputs: [score.txt, made.txt]
    output: {score: /score, threshold: 80}
`;

const job = (needs: string) => `
    runs-on: ubuntu-latest
    ${needs === '' ? '' : `needs: ${needs}`}
    permissions: {contents: read, actions: read}
    outputs: {attempt: '\${{ steps.gate.outputs.attempt }}'}
    steps:
      - uses: actions/checkout@v5
      - id: gate
        uses: gateline/gateline@v1
        with: {needs: '\${{ toJSON(needs) }}'}
`;
const WORKFLOW = `
on: [push, pull_request, workflow_dispatch]
jobs:
  design:${job('')}
  implement:${job('design')}
  review:${job('implement')}
  report:
    needs: [design, implement, review]
    if: always()
    runs-on: ubuntu-latest
    permissions: {contents: read, actions: read, pull-requests: write}
    steps:
      - id: report
        uses: gateline/gateline/report@v1
        with: {needs: '\${{ toJSON(needs) }}', comment: 'true'}
`;

describe('a chain of three gates', () => {
  let github: Github;
  let repository: TestRepository;
  beforeAll(async () => {
    github = await startGithub();
    repository = await createRepository(github, {
      files: {
        '.github/workflows/chain.yml': WORKFLOW,
        'gateline.yml': DEFINITION,
        'idea.txt': 'a page',
        'score.txt': '50',
      },
    });
  });
  afterAll(async () => {
    await repository[Symbol.asyncDispose]();
    await github[Symbol.asyncDispose]();
  });

  it('runs, fails at its last gate, and continues there after a fix', async () => {
    const first = await repository.push();
    for (const id of ['design', 'implement', 'review', 'report'])
      console.log(id, first.job(id).conclusion, first.job(id).outputs, first.job(id).log, first.job(id).summary);
    expect(first.job('design').conclusion).toBe('success');
    expect(first.job('implement').conclusion).toBe('success');
    expect(first.job('review').conclusion).toBe('failure');
    const second = await repository.push({ files: { 'score.txt': '90' } });
    for (const id of ['design', 'implement', 'review', 'report'])
      console.log(id, second.job(id).conclusion, second.job(id).log);
    expect(second.conclusion).toBe('success');
  });
});
