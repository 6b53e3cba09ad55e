/** Definitions of one kind each, by the name of the workflow in `golden/` that they compile to. */
export const PIPELINES: Readonly<Record<string, string>> = {
  chain: `pipeline: chain
job:
  runs-on: [self-hosted, linux]
  env: { MODEL: '\${{ vars.MODEL }}' }
  steps:
    - uses: actions/setup-node@820762786026740c76f36085b0efc47a31fe5020
      with: { node-version: 24, package-manager-cache: false }
    - run: npm ci
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
    stand-in: true
    job: { steps: [], permissions: { contents: write, id-token: write } }
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
    job: { container: { image: 'node:24@sha256:${'a'.repeat(64)}', options: --cpus 1 } }
  right:
    needs: data
    if: needs.data.output.hasRows
    run: node right.mjs
    job:
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
    job: { runs-on: '\${{ matrix.os }}' }
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
  checks: { gates: [verify, review], mode: sequential }
`,
  approval: `pipeline: approval
gates:
  draft: { run: node draft.mjs }
  translate: { needs: draft, run: node translate.mjs, approval: required }
  deploy:
    needs: translate
    run: node deploy.mjs
    job: { environment: { name: production, url: 'https://example.org' } }
`,
  deliver: `pipeline: deliver
deliver: { gates: [implement], allow: [.github/labels.yml] }
gates:
  implement: { run: node implement.mjs, files: changed }
  deliver: { needs: implement, run: node safety.mjs }
`,
  loop: `pipeline: loop
on: [push, workflow_dispatch]
gates:
  implement: { run: node implement.mjs, files: changed }
  review:
    needs: implement
    run: node review.mjs
    strategy: { matrix: { view: [security, style] } }
    on-fail: { goto: implement, max-iterations: 2 }
`,
  agents: `pipeline: agents
on: [pull_request, workflow_dispatch]
gates:
  design:
    uses: anthropics/claude-code-action@24dcd50c0568f0fc9e9211213a4fd2d9eb15c4e0
    with:
      anthropic_api_key: \${{ secrets.ANTHROPIC_API_KEY }}
      prompt: 'Read \${{ steps.begin.outputs.request-file }} first.'
      claude_args: --json-schema '{"type":"object"}'
    secrets: [ANTHROPIC_API_KEY]
  implement:
    needs: design
    uses:
      action: openai/codex-action@e0fdf01220eb9a88167c4898839d273e3f2609d1
      with: { openai-api-key: '\${{ secrets.OPENAI_API_KEY }}', prompt-file: prompts/implement.md, effort: 3 }
      local: node agents/codex.mjs
    env: { STYLE: short, MODEL: }
    secrets: [OPENAI_API_KEY]
    files: changed
    timeout-minutes: 30
  review:
    needs: implement
    uses:
      action: google-github-actions/run-gemini-cli@9dbec29a20fab3f35017a40ad0eb798a257d4d51
      with: { gemini_api_key: '\${{ secrets.GEMINI_API_KEY }}', prompt: Review it. }
      output: \${{ steps.agent.outputs.summary || steps.agent.outputs.error }}
    secrets: [GEMINI_API_KEY]
    strategy: { matrix: { view: [security, style] } }
`,
};
