// Without `validatorUrl: null` the page would send the document to a server of Swagger's.
window.addEventListener('DOMContentLoaded', () => {
  window.SwaggerUIBundle({ url: '/openapi.json', dom_id: '#docs', deepLinking: true, validatorUrl: null });
});
