import { config } from 'zod';

// Imported before any schema is made. A process reads few values: compiling schemas would take longer than it saves.
config({ jitless: true });
