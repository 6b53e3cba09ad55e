import { fileAt } from './repository.ts';
import { runAttempt, type Attempt } from './attempt.ts';
import type { JobOptions } from '../github/job-environment.ts';
import type { ResultsService } from '../github/results-service.ts';
import type { Conclusion, JobOrder, JobReport } from './session.ts';
import { parseWorkflow } from './workflow-file.ts';
import type { JsonValue } from '../../../src/json/json.ts';

/** What a test says of a workflow run; what is in `JobOptions` is handed on to every job. */
export interface WorkflowRunOptions
  extends
    Omit<JobOptions, 'run' | 'job' | 'name' | 'attempt' | 'permissions' | 'workspace'>,
    Pick<JobOrder, 'actions' | 'secrets' | 'machine' | 'cancelTimes' | 'inspect' | 'onLine' | 'startAction'> {
  readonly service: ResultsService;
  /** Id of the run. */
  readonly run: number;
  /** Folder of a git repository. */
  readonly repository: string;
  /** Full id of the commit that it runs on, and that its workflow file is read from. */
  readonly commit: string;
  /** Branch of the commit; default `main`. */
  readonly branch?: string;
  /** Path of the workflow file. */
  readonly workflow: string;
  /** Inputs of a `workflow_dispatch`, as expressions see them. */
  readonly inputs?: Readonly<Record<string, JsonValue>>;
  readonly vars?: Readonly<Record<string, string>>;
  /** Jobs that run at once; default 2. */
  readonly parallel?: number;
}

/** What became of one attempt of a run. */
export interface RunReport {
  readonly attempt: number;
  readonly conclusion: Exclude<Conclusion, 'skipped'>;
  /** Every job and leg by name, those of earlier attempts too where they still count. */
  readonly jobs: ReadonlyMap<string, JobReport>;
  /** Names of the jobs and legs that were started in this attempt, as they began. */
  readonly started: readonly string[];
  /** The report of a job by its name. Throws where there is none. */
  job(name: string): JobReport;
}

/** A workflow run that can be run again. */
export interface WorkflowRun {
  /** Begins the first attempt. */
  start(): Attempt;
  /** "Re-run failed jobs": those that failed or were cancelled, and what depends on them. All others keep what they came to. */
  rerunFailed(): Attempt;
  /** "Re-run all jobs". */
  rerunAll(): Attempt;
  /** "Re-run job", with what depends on it. */
  rerunJob(id: string): Attempt;
}

/**
 * A workflow file of a commit as one run on GitHub: jobs in the order of their needs, each on a fresh directory. A new
 * commit or event is a new run with an id of its own. One attempt at a time.
 */
export function workflowRun(options: WorkflowRunOptions): WorkflowRun {
  const { repository, commit, workflow: path } = options;
  const loaded = fileAt(repository, commit, path).then((text) => parseWorkflow(text, path));
  loaded.catch(() => undefined);
  let number = 0;
  let last: Promise<RunReport> | undefined;
  const begin = (isAgain: (report: JobReport) => boolean): Attempt => {
    number += 1;
    const attempt = runAttempt({ options, number, definition: loaded, earlier: last, isAgain });
    last = attempt.ended;
    return attempt;
  };
  const again = (isAgain: (report: JobReport) => boolean): Attempt => {
    if (last === undefined) throw new Error('a run is started once before it is run again');
    return begin(isAgain);
  };
  return {
    start: () => {
      if (last !== undefined) throw new Error('this run was started before; run it again');
      return begin(() => true);
    },
    rerunFailed: () => again(({ conclusion }) => conclusion === 'failure' || conclusion === 'cancelled'),
    rerunAll: () => again(() => true),
    rerunJob: (id) => again((report) => report.id === id),
  };
}
