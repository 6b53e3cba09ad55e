import type { CodeMeaning } from '../code-meaning.ts';

/** GitHub's services: artifacts, caches, REST. */
export const GITHUB_CODES = {
  REST_DENIED: {
    from: ['user'],
    means: "GitHub's REST API refused the token or the request (401, 403).",
    remedy: 'Give the job the permission under `permissions:`. Runs of pull requests from forks can only read.',
  },
  REST_NOT_FOUND: {
    from: ['platform'],
    means: "GitHub's REST API did not find it, or the token cannot read it (404, 410).",
    remedy:
      "It does not exist, or the token cannot read it: GitHub's response is the same for both. Check the `permissions:` of the job.",
  },
  REST_RATE_LIMITED: {
    from: ['platform'],
    means: 'The token has made more requests than GitHub allows in an hour, or too many at once.',
    remedy: "GitHub allows a job's token 1,000 requests an hour and repository. Run the job again later.",
  },
  REST_OUTAGE: {
    from: ['platform'],
    means: "GitHub's REST API did not answer in time, or answered with an error of its own (5xx).",
    remedy: 'See https://www.githubstatus.com, then run the job again.',
  },
  REST_ANSWER_INVALID: {
    from: ['platform'],
    means: "An answer of GitHub's REST API was cut off, too large, or not of the expected shape.",
    remedy: 'Run the job again. If it fails again, check proxies and firewalls between the runner and GitHub.',
  },
  REST_REFUSED: {
    from: ['platform'],
    means: "GitHub's REST API rejected a request as invalid (such as 422).",
    remedy: "See GitHub's response in the message.",
  },
  ARTIFACTS_UNAVAILABLE: {
    from: ['platform'],
    means: 'There is no artifact service here, or its token is not from a runner.',
    remedy: 'Use the action in a job on GitHub; a `run:` step has no such token.',
  },
  ARTIFACT_UPLOAD_FAILED: {
    from: ['platform'],
    means: 'An artifact could not be uploaded: the service refused it.',
    remedy: 'Re-run the failed jobs. If the storage quota is full, free space first.',
  },
  ARTIFACTS_OUTAGE: {
    from: ['platform'],
    title: 'Outage: GitHub did not answer',
    means:
      "GitHub's artifact service did not answer within the time limit (`outage-minutes`, after an agent has ended).",
    remedy: 'GitHub, or the connection to it, is down. See https://www.githubstatus.com, then re-run the failed jobs.',
  },
  RECORD_TOO_LARGE: {
    from: ['user'],
    means: 'A record lists too many files to be read again.',
    remedy: 'Let the gate hand on fewer files (`files:`), or pack them into one.',
  },
} satisfies Readonly<Record<string, CodeMeaning>>;
