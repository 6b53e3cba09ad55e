import { z } from 'zod';
import type { Github } from './github.ts';
import { json, parseBody, secondsOf, type Reply, type Request } from './http.ts';
import type { Comment, CommentDeletion, Repository, RestToken, User } from './model.ts';

type Arguments = Readonly<Record<string, unknown>>;
/** Fields by name, which may be functions of their arguments. */
type GraphqlObject = Readonly<Record<string, unknown>> & { readonly __typename: string };

interface Selection {
  /** A field; undefined: an inline fragment. */
  readonly field: string | undefined;
  /** Name in the answer, or type of the fragment. */
  readonly name: string;
  readonly args: Arguments;
  readonly selections: readonly Selection[];
}

const requestSchema = z.looseObject({ query: z.string(), variables: z.record(z.string(), z.unknown()).nullish() });

/**
 * The facts of comments that REST lacks: queries with aliases, arguments, variables and inline fragments. An unknown
 * field is an error, as on GitHub. https://docs.github.com/graphql/reference/objects#issuecomment
 */
export function executeGraphql(github: Github, token: RestToken, request: Request): Reply {
  const { query, variables } = parseBody(requestSchema, request);
  try {
    const root = queryObject(github.repository(token.repository), token.user);
    return json(200, { data: resolve(root, parseQuery(query, variables ?? {})) });
  } catch (error) {
    return json(200, { errors: [{ message: String(error) }] });
  }
}

function queryObject({ name, comments, deletions }: Repository, viewer: User): GraphqlObject {
  const pullRequest = ({ number }: Arguments): GraphqlObject => {
    const events = deletions.filter(({ issue }) => issue === number).map(deletionObject);
    const timelineItems = ({ itemTypes, last }: Arguments): GraphqlObject => {
      if (String(itemTypes) !== 'COMMENT_DELETED_EVENT') throw new Error('the stand-in knows deletions only');
      const nodes = events.slice(-Number(last));
      return { __typename: 'PullRequestTimelineItemsConnection', totalCount: events.length, nodes };
    };
    return { __typename: 'PullRequest', number, timelineItems };
  };
  return {
    __typename: 'Query',
    viewer: { __typename: viewer.type, login: viewer.login },
    node: ({ id }: Arguments) => comments.filter((comment) => `IC_${comment.id}` === id).map(commentObject)[0] ?? null,
    repository: (args: Arguments) =>
      `${String(args['owner'])}/${String(args['name'])}` === name ? { __typename: 'Repository', pullRequest } : null,
  };
}

function deletionObject({ author, actor, createdAt }: CommentDeletion): GraphqlObject {
  const people = { actor: actorObject(actor), deletedCommentAuthor: actorObject(author) };
  return { __typename: 'CommentDeletedEvent', createdAt: secondsOf(createdAt), ...people };
}

function commentObject({ id, author, body, ...comment }: Comment): GraphqlObject {
  const { createdAt, updatedAt, lastEditedAt, createdViaEmail, isMinimized } = comment;
  return {
    ...{ __typename: 'IssueComment', id: `IC_${id}`, databaseId: id, body, createdViaEmail, isMinimized },
    ...{ author: actorObject(author), createdAt: secondsOf(createdAt), updatedAt: secondsOf(updatedAt) },
    lastEditedAt: lastEditedAt === undefined ? null : secondsOf(lastEditedAt),
    includesCreatedEdit: lastEditedAt !== undefined,
  };
}

/** The logins of bots lack `[bot]`. */
function actorObject({ login, type }: User): GraphqlObject {
  return { __typename: type, login: login.replace(/\[bot\]$/, '') };
}

function resolve(value: unknown, selections: readonly Selection[]): unknown {
  if (Array.isArray(value)) return value.map((item) => resolve(item, selections));
  if (value === null || selections.length === 0) return value;
  return Object.fromEntries(selections.flatMap((selection) => entriesOf(value as GraphqlObject, selection)));
}

function entriesOf(object: GraphqlObject, { field, name, args, selections }: Selection): [string, unknown][] {
  const type = object.__typename;
  if (field === undefined) return name === type ? selections.flatMap((inner) => entriesOf(object, inner)) : [];
  if (!Object.hasOwn(object, field)) throw new Error(`Field '${field}' doesn't exist on type '${type}'`);
  const value = object[field];
  return [[name, resolve(typeof value === 'function' ? value(args) : value, selections)]];
}

function parseQuery(query: string, variables: Arguments): Selection[] {
  const tokens: string[] = query.match(/\.\.\.|"(?:[^"\\]|\\.)*"|[{}()[\]:$]|-?\d+|\w+/g) ?? [];
  // The head of a query, `query Name($id: ID!)`, says nothing that the variables do not.
  tokens.splice(0, tokens.indexOf('{'));
  const take = (): string => tokens.shift() ?? '';
  const readValue = (): unknown => {
    const token = take();
    if (token === '$') return variables[take()];
    if (token === '[') return readUntil(']', readValue);
    return /^(?:["\d-]|true$|false$|null$)/.test(token) ? JSON.parse(token) : token;
  };
  const readUntil = <T>(end: string, read: () => T): T[] => {
    const items: T[] = [];
    while (tokens[0] !== end) {
      if (tokens.length === 0) throw new Error(`Expected ${end}`);
      items.push(read());
    }
    take();
    return items;
  };
  const readBlock = <T>(start: string, end: string, read: () => T): T[] =>
    tokens[0] === start ? (take(), readUntil(end, read)) : [];
  const readArgument = (): [string, unknown] => [take(), (take(), readValue())];
  const readSelection = (): Selection => {
    const first = take();
    const isFragment = first === '...';
    if (isFragment && take() !== 'on') throw new Error('the stand-in knows inline fragments only');
    const name = isFragment ? take() : first;
    const field = tokens[0] === ':' ? (take(), take()) : name;
    const args = Object.fromEntries(readBlock('(', ')', readArgument));
    return { field: isFragment ? undefined : field, name, args, selections: readBlock('{', '}', readSelection) };
  };
  return readBlock('{', '}', readSelection);
}
