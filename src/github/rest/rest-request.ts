/** One call of GitHub's REST API. */
export interface RestRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the API's address, with a slash in front; what comes from elsewhere is encoded. An `https:` address counts as it is. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** Whether it may be sent again after an answer that was lost. Default: GET and DELETE may. */
  readonly repeatable?: boolean;
}
