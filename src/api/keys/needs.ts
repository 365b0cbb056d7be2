import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Extensions, GqlExecutionContext, type GqlContextType } from '@nestjs/graphql';
import { OperationTypeNode, type GraphQLResolveInfo } from 'graphql';
import { ApiKeys } from './api-keys.js';
import type { ApiContext } from '../graphql/api-context.js';
import type { KeyScope } from './key-text.js';

/** Under which name a mutation of the schema carries the scope it needs, among the `extensions` of its field. */
export const NEEDED_SCOPE = 'neededScope';

/** Declares what scope a key must have for a mutation. */
export function Needs(scope: KeyScope): MethodDecorator {
  return Extensions({ [NEEDED_SCOPE]: scope });
}

/** Lets a mutation be carried out only for those who may. One that declares no scope needs the highest. */
@Injectable()
export class ScopeGuard implements CanActivate {
  constructor(private readonly keys: ApiKeys) {}

  /** @throws ApiError UNAUTHENTICATED or FORBIDDEN */
  canActivate(context: ExecutionContext): true {
    if (context.getType<GqlContextType>() !== 'graphql') return true;
    const graphql = GqlExecutionContext.create(context);
    const { operation, parentType, fieldName } = graphql.getInfo<GraphQLResolveInfo>();
    if (operation.operation !== OperationTypeNode.MUTATION) return true;
    const scope = parentType.getFields()[fieldName]?.extensions[NEEDED_SCOPE] as KeyScope | undefined;
    this.keys.requireScope(graphql.getContext<ApiContext>().caller, scope ?? 'admin');
    return true;
  }
}
