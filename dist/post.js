#!/usr/bin/env node
import { post } from './gateline.js';
await post();
