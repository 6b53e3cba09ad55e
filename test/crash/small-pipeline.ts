import { ScratchWorkspace } from '../support/scratch-workspace.ts';

/** What each command begins with: the agent's own word that it starts. */
const START = 'echo "$GATELINE_GATE${GATELINE_LEG:+/$GATELINE_LEG} $GATELINE_ATTEMPT $$" >> "$START_LOG"';

/**
 * Six gates of a few milliseconds: files, a retry that its feedback turns, two legs beside another gate, a condition that
 * is false, and edits of tracked files (a change, a deletion, a mode).
 */
const PIPELINE = `
pipeline: small
subject: kills
max-parallel: 2
defaults:
  run:
    shell: sh
gates:
  plan:
    inputs: [brief.txt]
    files: [out/plan.txt]
    output:
      schema: { type: object, required: [steps] }
    run: |
      ${START}
      mkdir -p out
      tr a-z A-Z < brief.txt > out/plan.txt
      echo '{"steps": ["one", "two"], "note": "all of it"}' > "$GATELINE_OUTPUT"
  review:
    needs: plan
    inputs: []
    retries: 1
    files: [out/review.txt]
    output: { score: /score, threshold: 50, exports: [/score] }
    run: |
      ${START}
      score=10
      if [ -n "\${GATELINE_FEEDBACK:-}" ]; then score=90; fi
      echo "reviewed: $score" > out/review.txt
      echo "{\\"score\\": $score}" > "$GATELINE_OUTPUT"
      echo '- review early' > "$GATELINE_LEARNINGS"
  check:
    needs: plan
    inputs: []
    strategy:
      matrix:
        part: [left, right]
    run: |
      ${START}
      echo "{\\"part\\": \\"$GATELINE_LEG\\"}" > "$GATELINE_OUTPUT"
      echo '{"tools": ["sh"]}' > "$GATELINE_METRICS"
  merge:
    needs: [review, check]
    if: needs.review.score >= 50
    inputs: [src/**]
    files: changed
    run: |
      ${START}
      sed 's/old/new/' src/app.txt > src/app.tmp && mv src/app.tmp src/app.txt
      rm -f src/gone.txt
      chmod +x src/tool.sh
      echo '{"risky": false}' > "$GATELINE_OUTPUT"
  audit:
    needs: merge
    if: needs.merge.output.risky
    run: exit 1
  report:
    needs: [plan, merge, audit]
    inputs: [src/**, out/plan.txt]
    files: [report/**]
    run: |
      ${START}
      mkdir -p report
      cat out/plan.txt src/app.txt > report/summary.txt
      echo "{\\"lines\\": $(wc -l < report/summary.txt)}" > "$GATELINE_OUTPUT"
`;

/** The pipeline in a repository of its own. */
export function smallPipeline(): Promise<ScratchWorkspace> {
  return ScratchWorkspace.create({
    'gateline.yml': PIPELINE,
    'brief.txt': 'what is wanted\n',
    'src/app.txt': 'an old line\nanother line\n',
    'src/gone.txt': 'not needed any more\n',
    'src/tool.sh': 'echo tool\n',
    '.gitignore': 'out/\nreport/\n',
  });
}
