/** What is known of a request before its route is found. */
export interface RoutedRequest {
  readonly url?: string | undefined;
  /** May be changed: the route is found by it. */
  method?: string | undefined;
  /** May be set where whoever answers takes no notice of the method, nor of a body. */
  takesAnyMethod?: true;
}
