import type { CodeMeaning } from '../error-codes.ts';

/** GitHub's services: artifacts, caches, REST. */
export const GITHUB_CODES = {
  REST_DENIED: {
    from: ['user'],
    means: "GitHub's REST API refused the token, or what was asked with it (401, 403).",
    remedy: 'Give the job the permission under `permissions:`. Runs of pull requests from forks can only read.',
  },
  REST_NOT_FOUND: {
    from: ['platform'],
    means: "GitHub's REST API knows no such thing, or hides it from the token (404, 410).",
    remedy: 'Check the number or name, and the `permissions:` of the job.',
  },
  REST_RATE_LIMITED: {
    from: ['platform'],
    means: 'The token has made more requests than GitHub allows in an hour, or too many at once.',
    remedy: 'Run the job again later.',
  },
  REST_OUTAGE: {
    from: ['platform'],
    means: "GitHub's REST API did not answer in time, or answered with an error of its own (5xx).",
    remedy: 'See https://www.githubstatus.com, then run the job again.',
  },
  REST_ANSWER_INVALID: {
    from: ['platform'],
    means: "An answer of GitHub's REST API was cut off, too large, or not of the expected shape.",
    remedy: 'Run the job again; if it stays so, look at what stands between the runner and GitHub.',
  },
  REST_REFUSED: {
    from: ['platform'],
    means: "GitHub's REST API found a request invalid (422 and the like).",
    remedy: 'See what GitHub says about it; it is in the message.',
  },
  ARTIFACTS_UNAVAILABLE: {
    from: ['platform'],
    means: 'There is no service for artifacts here, or its token is not what a runner gives.',
    remedy: 'Use the action in a job on GitHub; a `run:` step has no such token.',
  },
  ARTIFACT_UPLOAD_FAILED: {
    from: ['platform'],
    means: 'An artifact could not be uploaded: the service refused it.',
    remedy: 'Run the failed jobs again. Empty a full storage quota first.',
  },
  ARTIFACTS_OUTAGE: {
    from: ['platform'],
    means:
      "GitHub's service for artifacts gave no answer for as long as it is waited for (`outage-minutes`, when an agent has ended).",
    remedy:
      'See https://www.githubstatus.com, then run the failed jobs again. The end of an attempt that the post step could upload after all counts; else its output is in the log and the summary.',
  },
  RECORD_TOO_LARGE: {
    from: ['user'],
    means: 'A record names so many files that nobody could read it again.',
    remedy: 'Let the gate hand on fewer files, or pack them into one.',
  },
} satisfies Readonly<Record<string, CodeMeaning>>;
