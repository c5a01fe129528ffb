// SPDX-License-Identifier: Apache-2.0
'use strict';

(function () {
	const section = dse.section('nightly', 'nightly');
	section.append(dse.el('pre', {}, JSON.stringify(dse.data, null, 1).slice(0, 2000)));
})();
