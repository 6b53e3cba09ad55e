import { z } from 'zod';
import { choiceOf, listOf, mapOf, matching, text } from './gateline-values.ts';

/** Events that may start a compiled workflow. Not `workflow_call`: the inputs and the events would be the caller's. */
export const EVENTS = [
  'push',
  'pull_request',
  'workflow_dispatch',
  'merge_group',
  'schedule',
  'create',
  'issue_comment',
  'issues',
  'label',
  'pull_request_review',
  'pull_request_review_comment',
  'pull_request_target',
  'release',
  'repository_dispatch',
  'workflow_run',
] as const;

/** These cannot be named without saying more: GitHub refuses the whole workflow. */
const NEEDS_MORE = ['schedule', 'workflow_run'] as const;

/** The inputs that Gateline reads from the event of a run that a person or a report started. */
export const DISPATCH_INPUTS: Readonly<Record<string, string>> = {
  resume: 'Id of the run to resume, or to decide about',
  strategy: 'retry-previous, skip-current or from-checkpoint',
  from: 'Gate that runs again, with all gates after it',
  decision: 'approve, reject, skip, force or adopt',
  gate: 'Gate that the decision is about',
  digest: 'Digest of the output that the decision is about',
  reason: 'Why',
  rework: 'What a gate sent back; the report sets it',
  comment: 'Id of the comment that asked for this run',
  subject: 'Pull request that the run is for, such as pr-7',
};

/** GitHub's limit for the inputs of `workflow_dispatch`. */
const MOST_INPUTS = 25;
const OWN_INPUTS = MOST_INPUTS - Object.keys(DISPATCH_INPUTS).length;

const inputName = matching(/^[A-Za-z_][A-Za-z0-9_-]{0,99}$/, 'the name of an input').refine(
  (name) => !Object.hasOwn(DISPATCH_INPUTS, name),
  `expected another name: Gateline reads ${Object.keys(DISPATCH_INPUTS).join(', ')}`,
);
const dispatch = z
  .looseObject(
    {
      inputs: mapOf(inputName, z.json(), 'a map of inputs')
        .refine((map) => Object.keys(map).length <= OWN_INPUTS, `expected at most ${OWN_INPUTS} inputs of your own`)
        .nullish(),
    },
    { error: 'expected a map with the key `inputs`' },
  )
  .nullish();

const SCHEDULE = 'a list of maps with the key `cron`';
const schedule = listOf(
  z.strictObject(
    { cron: text(200, 'a time such as `0 4 * * 1`'), timezone: text(100, 'a time zone').optional() },
    { error: 'expected a map with the key `cron`' },
  ),
  1,
  100,
  SCHEDULE,
);
const names = listOf(text(200, 'the name of a workflow'), 1, 100, 'a list of workflow names');
const workflowRun = z.looseObject({ workflows: names }, { error: 'expected a map with the key `workflows`' });

const event = choiceOf(...EVENTS).refine(
  (name) => !NEEDS_MORE.some((one) => one === name),
  'expected a map of events: `schedule` needs `cron`, and `workflow_run` needs `workflows`',
);

/** What starts the workflow of `gateline compile`. */
export const triggers = z
  .union(
    [
      event,
      listOf(event, 1, EVENTS.length, 'a list of events'),
      z
        .strictObject({
          ...Object.fromEntries(EVENTS.map((one) => [one, z.json().optional()])),
          workflow_dispatch: dispatch,
          schedule: schedule.optional(),
          workflow_run: workflowRun.optional(),
        })
        .refine((map) => Object.keys(map).length > 0, 'expected at least one event'),
    ],
    { error: 'expected an event, a list of events, or a map of events to their filters' },
  )
  .optional()
  .describe(
    'In the workflow of `gateline compile`: what starts it. Default: pushes to `main`, pull requests, and by hand. `workflow_dispatch` gets the inputs that Gateline reads.',
  );
