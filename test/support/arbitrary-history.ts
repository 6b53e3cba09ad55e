import fc from 'fast-check';
import type { Gate, Pipeline } from '../../src/pipeline/pipeline.ts';
import type { DecidedRecord } from '../../src/run/records/record.ts';
import { DrivenHistory, type CallOptions, type CallReport } from './driven-history.ts';
import type { Manner, Quality } from './made-up-agents.ts';
import { pipelineOf } from './pipelines.ts';
import { contentOf, NOW } from './records.ts';

/** Before {@link NOW}, so a decision until then is over. */
const OVER = '2026-01-02T03:04:05.000Z';

/** Pipelines of up to this many gates, some with a matrix; gates need earlier ones only. */
export function pipelines(maxGates: number): fc.Arbitrary<Pipeline> {
  const shape = fc.record({
    needs: fc.array(fc.nat(maxGates), { maxLength: 3 }),
    legs: fc.constantFrom(1, 1, 1, 1, 1, 2),
    retries: fc.nat(2),
    partial: fc.constantFrom('block', 'continue', 'pause'),
    reuse: fc.constantFrom('auto', 'auto', 'auto', 'never'),
  });
  return fc.array(shape, { minLength: 1, maxLength: maxGates }).map((shapes) =>
    pipelineOf(
      Object.fromEntries(
        shapes.map(({ needs, legs, retries, partial, reuse }, index): [string, Partial<Gate>] => [
          `g${index}`,
          {
            needs: [...new Set(needs.filter((need) => need < index))].sort((a, b) => a - b).map((need) => `g${need}`),
            legs:
              legs === 1
                ? [{ id: '', matrix: {} }]
                : ['x', 'y', 'z'].slice(0, legs).map((id) => ({ id, matrix: { id } })),
            retries,
            contract: { schema: undefined, score: '/score', threshold: 60, partial, checks: [] },
            reuse,
          },
        ]),
      ),
    ),
  );
}

/** One thing that happens to a run. Numbers pick a unit, a gate or a record, whatever their size. */
export type Step =
  | {
      readonly do: 'call';
      readonly answers: Quality[];
      readonly force: number[];
      readonly dieAfter: number | undefined;
    }
  | { readonly do: 'edit' | 'revert' | 'unreadable' | 'lose'; readonly which: number }
  | { readonly do: 'contract'; readonly which: number; readonly bar: Quality }
  | {
      readonly do: 'decide';
      readonly which: number;
      readonly decision: DecidedRecord['decision'];
      readonly over: boolean;
      readonly supply: boolean;
    };

const which = fc.nat(1_000);
const quality = fc.constantFrom<Quality>(3, 3, 3, 2, 1, 0);
const calls: fc.Arbitrary<Step> = fc.record({
  do: fc.constant('call'),
  answers: fc.array(quality, { maxLength: 12 }),
  force: fc.oneof(
    { weight: 4, arbitrary: fc.constant<number[]>([]) },
    { weight: 1, arbitrary: fc.array(which, { maxLength: 2 }) },
  ),
  dieAfter: fc.option(fc.nat(6), { nil: undefined, freq: 2 }),
});

/** Everything that may happen between two calls. */
const happenings: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom('edit', 'revert', 'edit', 'unreadable', 'lose'), which }),
  fc.record({ do: fc.constant('contract'), which, bar: fc.constantFrom<Quality>(1, 2, 3) }),
  fc.record({
    do: fc.constant('decide'),
    which,
    decision: fc.constantFrom('approve', 'approve', 'reject', 'skip', 'force', 'rollback'),
    over: fc.boolean(),
    supply: fc.boolean(),
  }),
);

/** A pipeline, its agents' manners, and what happens. */
export interface Story {
  readonly pipeline: Pipeline;
  readonly manners: readonly Manner[];
  readonly steps: readonly Step[];
}

export const stories: fc.Arbitrary<Story> = fc.record({
  pipeline: pipelines(4),
  manners: fc.array(fc.constantFrom<Manner>('plain', 'plain', 'terse', 'chatty'), { minLength: 1, maxLength: 6 }),
  steps: fc.array(fc.oneof({ weight: 3, arbitrary: calls }, { weight: 2, arbitrary: happenings }), {
    minLength: 1,
    maxLength: 12,
  }),
});

/** Stories in which nothing is lost or becomes unreadable. */
export const soundStories: fc.Arbitrary<Story> = stories.map((story) => ({
  ...story,
  steps: story.steps.filter((step) => step.do !== 'unreadable' && step.do !== 'lose'),
}));

/** Tells a story; `each` is called after every step. */
export function tell(
  story: Story,
  each: (history: DrivenHistory, report: CallReport | undefined) => void = () => undefined,
): DrivenHistory {
  const history = new DrivenHistory(story.pipeline, story.manners);
  for (const step of story.steps) each(history, take(history, step));
  return history;
}

function take(history: DrivenHistory, step: Step): CallReport | undefined {
  if (step.do === 'call') return history.call(callOptions(history, step));
  const { agents } = history;
  const key = [...history.graph.keys()][step.which % history.graph.size]!;
  const { gate } = history.graph.get(key)!;
  if (step.do === 'edit') agents.setVersion(key, agents.versionOf(key) + 1);
  else if (step.do === 'revert') agents.setVersion(key, Math.max(0, agents.versionOf(key) - 1));
  else if (step.do === 'contract') agents.setBar(gate.id, step.bar);
  else if (step.do === 'decide') {
    const supplied = step.decision === 'skip' && step.supply && { exports: contentOf(`supplied for ${key}`) };
    history.decide(key, step.decision, { ...(step.over && { until: OVER }), ...supplied });
  } else if (history.records.length > 0) {
    const record = history.records[step.which % history.records.length]!;
    if (step.do === 'unreadable') history.unreadable.add(record);
    else if (record.kind === 'ended' && record.value !== undefined) agents.lost.add(record.value.digest);
  }
  return undefined;
}

function callOptions(history: DrivenHistory, step: Extract<Step, { do: 'call' }>): CallOptions {
  const { gates } = history.pipeline;
  const force = [...new Set(step.force.map((index) => gates[index % gates.length]!.id))];
  return { answers: step.answers, force, ...(step.dieAfter !== undefined && { dieAfter: step.dieAfter }) };
}

/** Later than {@link NOW}. */
export const LATER = new Date(Date.parse(NOW) + 1_000).toISOString();
