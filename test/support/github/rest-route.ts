import type { World } from './model.ts';
import type { Reply, ServiceRequest } from './protocol.ts';

/** One call of GitHub's REST API. */
export interface RestRoute {
  /** Its id in GitHub's OpenAPI description. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below `/repos/<owner>/<name>`; `:id` is the first argument, a number but for workflows, `:n` the second. */
  readonly path: string;
  readonly work: (world: World, request: ServiceRequest, repository: string, id: number, n?: number) => Reply;
}
