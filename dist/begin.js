#!/usr/bin/env node
import { begin } from './gateline.js';
await begin();
