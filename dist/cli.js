#!/usr/bin/env node
import { cli } from './gateline.js';
await cli();
