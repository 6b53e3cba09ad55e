/** Definitions of one kind each, by the name of the workflow that they compile to in `golden/`. */
export const PIPELINES: Readonly<Record<string, string>> = {
  chain: `pipeline: chain
runs-on: [self-hosted, linux]
steps-before:
  - uses: actions/setup-node@820762786026740c76f36085b0efc47a31fe5020
    with: { node-version: 24, package-manager-cache: false }
  - run: npm ci
workflow:
  env: { MODEL: '\${{ vars.MODEL }}' }
gates:
  plan:
    run: node plan.mjs
    env: { MODEL: }
  code:
    needs: plan
    run: node code.mjs
    secrets: [API_KEY]
    retries: 2
    timeout-minutes: 20
  check:
    needs: code
    run: node check.mjs
    steps-before: []
    permissions: { contents: write, id-token: write }
`,
  diamond: `pipeline: diamond
on:
  push: { branches: [main, 'release/**'] }
  schedule: [{ cron: '0 4 * * *' }]
gates:
  data: { run: node data.mjs }
  left:
    needs: data
    run: node left.mjs
    container: { image: 'node:24@sha256:${'a'.repeat(64)}', options: --cpus 1 }
  right:
    needs: data
    run: node right.mjs
    services:
      db:
        image: 'postgres:18@sha256:${'b'.repeat(64)}'
        ports: ['5432:5432']
  report:
    needs: [left, right]
    run: node report.mjs
`,
  matrix: `pipeline: matrix
gates:
  build: { run: node build.mjs }
  browsers:
    needs: build
    run: node browsers.mjs
    runs-on: \${{ matrix.os }}
    strategy:
      max-parallel: 2
      fail-fast: false
      matrix:
        os: [ubuntu-latest, windows-latest]
        browser: [chrome, firefox, 'yes']
        exclude: [{ os: windows-latest, browser: 'yes' }]
        include: [{ os: ubuntu-latest, browser: chrome, channel: '007' }, { os: macos-latest, browser: safari }]
`,
  'data-matrix': `pipeline: data-matrix
gates:
  plan: { run: node plan.mjs }
  build:
    needs: plan
    run: node build.mjs
    strategy: { matrix: '\${{ needs.plan.output.packages }}', fail-fast: false }
  publish: { needs: build, run: node publish.mjs }
`,
  group: `pipeline: group
gates:
  implement: { run: node implement.mjs, files: changed }
  review: { needs: implement, run: node review.mjs }
  verify: { needs: implement, run: node verify.mjs }
  publish: { needs: verify, run: node publish.mjs }
groups:
  checks: { gates: [verify, review], mode: sequential, on-fail: { goto: implement } }
`,
  approval: `pipeline: approval
gates:
  draft: { run: node draft.mjs }
  translate:
    needs: draft
    run: node translate.mjs
    approval: { by: [octocat], not-author: true }
  deploy:
    needs: translate
    run: node deploy.mjs
    environment: { name: production, url: 'https://example.org' }
`,
  deliver: `pipeline: deliver
deliver: { gates: [implement], allow: [.github/labels.yml] }
gates:
  implement: { run: node implement.mjs, files: changed }
  deliver: { needs: implement, run: node check.mjs }
`,
  uses: `pipeline: uses
gates:
  implement:
    uses:
      action: octo/coding-agent@0123456789abcdef0123456789abcdef01234567
      with:
        prompt: |
          Your task is in \${{ steps.begin.outputs.request-file }}: read it first.
          When you are done, say what you did.
        max-turns: 40
      output: \${{ steps.agent.outputs.result }}
      metrics: steps.agent.outputs.cost
    local: node agent.mjs
    env: { STYLE: short, MODEL: }
    secrets: [API_KEY]
    files: changed
    timeout-minutes: 30
  test: { needs: implement, run: npm test }
`,
  history: `pipeline: history
on: [push, workflow_dispatch]
workflow:
  html-report: true
  history-branch: gateline-history
gates:
  draft:
    run: sh draft.sh
`,
};
