/** A request before it is routed. */
export interface RoutedRequest {
  readonly url?: string | undefined;
  /** May be changed: routing uses it. */
  method?: string | undefined;
  /** May be set where the handler ignores the method and any body. */
  takesAnyMethod?: true;
}
