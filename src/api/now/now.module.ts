import { Module } from '@nestjs/common';
import { NowResolver } from './now.resolver.js';

/** Tells what time it is here: a client's own clock may be wrong. */
@Module({ providers: [NowResolver] })
export class NowModule {}
