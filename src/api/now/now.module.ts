import { Module } from '@nestjs/common';
import { NowResolver } from './now.resolver.js';

/** Reports the server's time: a client's own clock may be wrong. */
@Module({ providers: [NowResolver] })
export class NowModule {}
