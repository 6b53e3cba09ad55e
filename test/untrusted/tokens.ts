/** Made at run time, so that nothing in this repository looks like a real token to a scanner. */
const filler = (length: number, alphabet = 'aB3dE5gH7jK9mN1pQ2sT4vX6z'): string =>
  Array.from({ length }, (_, index) => alphabet[(index * 7 + 3) % alphabet.length]).join('');
/** A prefix in two parts, which no scanner puts together. */
export const apart = (...parts: readonly string[]): string => parts.join('');
const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const jwt = [base64url({ alg: 'RS256', typ: 'JWT' }), base64url({ iss: 'somebody', n: filler(200) }), filler(172)].join(
  '.',
);
const dashes = '-'.repeat(5);

export const PRIVATE_KEY = [
  `${dashes}BEGIN ${apart('RSA PRIVATE', ' KEY')}${dashes}`,
  ...Array.from({ length: 20 }, (_, line) => filler(63) + String.fromCodePoint(97 + line)),
  'kQ==',
  `${dashes}END ${apart('RSA PRIVATE', ' KEY')}${dashes}`,
].join('\n');

/** Kind → token. The whole of each is secret. */
export const TOKENS: Readonly<Record<string, string>> = {
  'GitHub, personal': `${apart('ghp', '_')}${filler(36)}`,
  'GitHub, in lower case': `${apart('ghp', '_')}${filler(36, 'abcdefgh23456')}`,
  'GitHub, OAuth': `${apart('gho', '_')}${filler(36)}`,
  'GitHub, user to server': `${apart('ghu', '_')}${filler(36)}`,
  'GitHub, installation': `${apart('ghs', '_')}${filler(36)}`,
  'GitHub, installation of 520 characters': `${apart('ghs', '_')}1234567_${jwt}`.padEnd(520, filler(200)),
  'GitHub, refresh': `${apart('ghr', '_')}${filler(76)}`,
  'GitHub, fine-grained': `${apart('github', '_pat_')}${filler(22)}_${filler(59)}`,
  GitLab: `${apart('glpat', '-')}${filler(20)}`,
  'GitLab, routable': `${apart('glpat', '-')}${filler(27)}.01.${filler(9)}`,
  npm: `${apart('npm', '_')}${filler(36)}`,
  'AWS key id': `${apart('AKI', 'A')}${filler(16, 'ABCDEFGH23456')}`,
  'AWS session key id': `${apart('ASI', 'A')}${filler(16, 'ABCDEFGH23456')}`,
  Slack: `${apart('xox', 'b')}-123456789012-1234567890123-${filler(24)}`,
  OpenAI: `${apart('sk', '-')}${filler(48)}`,
  'OpenAI, project': `${apart('sk', '-proj-')}${filler(100)}_-${filler(20)}`,
  Anthropic: `${apart('sk', '-ant-')}api03-${filler(93)}-AA`,
  Google: `${apart('AIz', 'a')}${filler(35)}`,
  'Stripe, live': `${apart('sk', '_live_')}${filler(24)}`,
  'Stripe, restricted': `${apart('rk', '_live_')}${filler(24)}`,
  JWT: jwt,
};

/** Secrets that their surroundings give away: text, and the part that is secret. */
export const IN_CONTEXT: readonly (readonly [text: string, secret: string])[] = [
  [`Authorization: Bearer ${filler(30)}`, filler(30)],
  [`{"Authorization": "Bearer ${filler(30)}"}`, filler(30)],
  [`{\\"authorization\\": \\"bearer ${filler(30)}\\"}`, filler(30)],
  [`curl -H 'authorization: token ${filler(40)}'`, filler(40)],
  [`Authorization: Basic ${btoa('user:pass phrase')}`, btoa('user:pass phrase')],
  [`got Bearer ${filler(24)} back`, filler(24)],
  [`got Basic ${btoa('user:pass phrase')} back`, btoa('user:pass phrase')],
  [`X-Api-Key: ${filler(32)}`, filler(32)],
  [`PRIVATE-TOKEN: ${filler(20)}`, filler(20)],
  [`aws_secret_access_key = ${filler(38)}/+`, `${filler(38)}/+`],
  [`{"SecretAccessKey": "${filler(40)}"}`, filler(40)],
  [`AWS_SESSION_TOKEN=${filler(300)}==`, `${filler(300)}==`],
  ['https://user:pa55word@example.com/x', 'pa55word'],
  ['postgres://app:p%40ss@w0rd@db:5432/app', 'p%40ss@w0rd'],
  ['redis://:pa55word@cache', 'pa55word'],
  [`https://${filler(40)}@github.com/o/r`, filler(40)],
];

/** What looks a little like a secret and is none. */
export const HARMLESS: readonly string[] = [
  'highs_and_lows_of_the_market_today',
  'task-management-and-risk-assessment',
  'Basic authentication is used here',
  'Bearer authentication',
  'Bearer tokens-of-the-caller',
  'Bearer v2tokens',
  'Bearer 000000000000000000000',
  'Bearer {token}',
  'https://example.com/path?x=a@b',
  'http://localhost:8080/@user',
  'https://user:${PASSWORD}@host',
  'postgres://user:password@localhost',
  'postgres://postgres:postgres@db:5432/app',
  'mysql://app:your-password@localhost',
  'Bearer YOUR_TOKEN_1234567890',
  'Authorization: Bearer <token>',
  'amqp://rabbit:rabbit@mq',
  'AKIAIOSFODNN7EXAMPLE',
  'AKIAXXXXXXXXXXXXXXXX',
  'aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  'ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
  'ghp_1234567890abcdefghijklmnopqrstuvwxyz',
  'sk-ant-api03-your-key-goes-here-0000',
  `${dashes}BEGIN PRIVATE KEY${dashes}\n...\n${dashes}END PRIVATE KEY${dashes}`,
  'https://user:$PASSWORD@host',
  'eyJhbGciOiJIUzI1NiJ9',
  'eyJhbGciOi...',
  'npm_config_registry',
  'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  'da39a3ee5e6b4b0d3255bfef95601890afd80709',
  'a 🔑 key',
  'task-12-of-the-long-list-of-all-tasks-in-here',
  'sk-PUT-THE-KEY-OF-THE-TEAM-IN-HERE-NOW',
  'x-api-key: put-the-key-of-the-team-here',
  'eyJhbGciOiJIUzI1NiJ9.abc',
  'authorization: required',
  'Authorization: token required',
  `${dashes}BEGIN CERTIFICATE${dashes}\nabc\n${dashes}END CERTIFICATE${dashes}`,
  `${dashes}BEGIN PUBLIC KEY${dashes}`,
];
