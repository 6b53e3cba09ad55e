/** Version of this package, from package.json. */
export const VERSION = '0.1.0';
