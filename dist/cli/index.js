#!/usr/bin/env node
import{cli as e}from"../gateline.js";await e();