# expected: fail|exc
# safe-outcome: texts run within texts, long paths of names and filters over modules are read in no long time
# stopped-by: caps on depth, length and meanings
import functools
import numpy as np
exec('v0 = getattr(np, "ex" + "p")')
exec('v1 = getattr(np, "ex" + "p")')
exec('v2 = getattr(np, "ex" + "p")')
exec('v3 = getattr(np, "ex" + "p")')
exec('v4 = getattr(np, "ex" + "p")')
exec('v5 = getattr(np, "ex" + "p")')
exec('v6 = getattr(np, "ex" + "p")')
exec('v7 = getattr(np, "ex" + "p")')
exec('v8 = getattr(np, "ex" + "p")')
exec('v9 = getattr(np, "ex" + "p")')
exec('v10 = getattr(np, "ex" + "p")')
exec('v11 = getattr(np, "ex" + "p")')
exec('v12 = getattr(np, "ex" + "p")')
exec('v13 = getattr(np, "ex" + "p")')
exec('v14 = getattr(np, "ex" + "p")')
exec('v15 = getattr(np, "ex" + "p")')
exec('v16 = getattr(np, "ex" + "p")')
exec('v17 = getattr(np, "ex" + "p")')
exec('v18 = getattr(np, "ex" + "p")')
exec('v19 = getattr(np, "ex" + "p")')
exec('v20 = getattr(np, "ex" + "p")')
exec('v21 = getattr(np, "ex" + "p")')
exec('v22 = getattr(np, "ex" + "p")')
exec('v23 = getattr(np, "ex" + "p")')
exec('v24 = getattr(np, "ex" + "p")')
exec('v25 = getattr(np, "ex" + "p")')
exec('v26 = getattr(np, "ex" + "p")')
exec('v27 = getattr(np, "ex" + "p")')
exec('v28 = getattr(np, "ex" + "p")')
exec('v29 = getattr(np, "ex" + "p")')
exec('v30 = getattr(np, "ex" + "p")')
exec('v31 = getattr(np, "ex" + "p")')
exec('v32 = getattr(np, "ex" + "p")')
exec('v33 = getattr(np, "ex" + "p")')
exec('v34 = getattr(np, "ex" + "p")')
exec('v35 = getattr(np, "ex" + "p")')
exec('v36 = getattr(np, "ex" + "p")')
exec('v37 = getattr(np, "ex" + "p")')
exec('v38 = getattr(np, "ex" + "p")')
exec('v39 = getattr(np, "ex" + "p")')
exec('v40 = getattr(np, "ex" + "p")')
exec('v41 = getattr(np, "ex" + "p")')
exec('v42 = getattr(np, "ex" + "p")')
exec('v43 = getattr(np, "ex" + "p")')
exec('v44 = getattr(np, "ex" + "p")')
exec('v45 = getattr(np, "ex" + "p")')
exec('v46 = getattr(np, "ex" + "p")')
exec('v47 = getattr(np, "ex" + "p")')
exec('v48 = getattr(np, "ex" + "p")')
exec('v49 = getattr(np, "ex" + "p")')
exec('v50 = getattr(np, "ex" + "p")')
exec('v51 = getattr(np, "ex" + "p")')
exec('v52 = getattr(np, "ex" + "p")')
exec('v53 = getattr(np, "ex" + "p")')
exec('v54 = getattr(np, "ex" + "p")')
exec('v55 = getattr(np, "ex" + "p")')
exec('v56 = getattr(np, "ex" + "p")')
exec('v57 = getattr(np, "ex" + "p")')
exec('v58 = getattr(np, "ex" + "p")')
exec('v59 = getattr(np, "ex" + "p")')
exec('v60 = getattr(np, "ex" + "p")')
exec('v61 = getattr(np, "ex" + "p")')
exec('v62 = getattr(np, "ex" + "p")')
exec('v63 = getattr(np, "ex" + "p")')
exec('v64 = getattr(np, "ex" + "p")')
exec('v65 = getattr(np, "ex" + "p")')
exec('v66 = getattr(np, "ex" + "p")')
exec('v67 = getattr(np, "ex" + "p")')
exec('v68 = getattr(np, "ex" + "p")')
exec('v69 = getattr(np, "ex" + "p")')
exec('v70 = getattr(np, "ex" + "p")')
exec('v71 = getattr(np, "ex" + "p")')
exec('v72 = getattr(np, "ex" + "p")')
exec('v73 = getattr(np, "ex" + "p")')
exec('v74 = getattr(np, "ex" + "p")')
exec('v75 = getattr(np, "ex" + "p")')
exec('v76 = getattr(np, "ex" + "p")')
exec('v77 = getattr(np, "ex" + "p")')
exec('v78 = getattr(np, "ex" + "p")')
exec('v79 = getattr(np, "ex" + "p")')
exec('v80 = getattr(np, "ex" + "p")')
exec('v81 = getattr(np, "ex" + "p")')
exec('v82 = getattr(np, "ex" + "p")')
exec('v83 = getattr(np, "ex" + "p")')
exec('v84 = getattr(np, "ex" + "p")')
exec('v85 = getattr(np, "ex" + "p")')
exec('v86 = getattr(np, "ex" + "p")')
exec('v87 = getattr(np, "ex" + "p")')
exec('v88 = getattr(np, "ex" + "p")')
exec('v89 = getattr(np, "ex" + "p")')
exec('v90 = getattr(np, "ex" + "p")')
exec('v91 = getattr(np, "ex" + "p")')
exec('v92 = getattr(np, "ex" + "p")')
exec('v93 = getattr(np, "ex" + "p")')
exec('v94 = getattr(np, "ex" + "p")')
exec('v95 = getattr(np, "ex" + "p")')
exec('v96 = getattr(np, "ex" + "p")')
exec('v97 = getattr(np, "ex" + "p")')
exec('v98 = getattr(np, "ex" + "p")')
exec('v99 = getattr(np, "ex" + "p")')
exec('v100 = getattr(np, "ex" + "p")')
exec('v101 = getattr(np, "ex" + "p")')
exec('v102 = getattr(np, "ex" + "p")')
exec('v103 = getattr(np, "ex" + "p")')
exec('v104 = getattr(np, "ex" + "p")')
exec('v105 = getattr(np, "ex" + "p")')
exec('v106 = getattr(np, "ex" + "p")')
exec('v107 = getattr(np, "ex" + "p")')
exec('v108 = getattr(np, "ex" + "p")')
exec('v109 = getattr(np, "ex" + "p")')
exec('v110 = getattr(np, "ex" + "p")')
exec('v111 = getattr(np, "ex" + "p")')
exec('v112 = getattr(np, "ex" + "p")')
exec('v113 = getattr(np, "ex" + "p")')
exec('v114 = getattr(np, "ex" + "p")')
exec('v115 = getattr(np, "ex" + "p")')
exec('v116 = getattr(np, "ex" + "p")')
exec('v117 = getattr(np, "ex" + "p")')
exec('v118 = getattr(np, "ex" + "p")')
exec('v119 = getattr(np, "ex" + "p")')
exec('v120 = getattr(np, "ex" + "p")')
exec('v121 = getattr(np, "ex" + "p")')
exec('v122 = getattr(np, "ex" + "p")')
exec('v123 = getattr(np, "ex" + "p")')
exec('v124 = getattr(np, "ex" + "p")')
exec('v125 = getattr(np, "ex" + "p")')
exec('v126 = getattr(np, "ex" + "p")')
exec('v127 = getattr(np, "ex" + "p")')
exec('v128 = getattr(np, "ex" + "p")')
exec('v129 = getattr(np, "ex" + "p")')
exec('v130 = getattr(np, "ex" + "p")')
exec('v131 = getattr(np, "ex" + "p")')
exec('v132 = getattr(np, "ex" + "p")')
exec('v133 = getattr(np, "ex" + "p")')
exec('v134 = getattr(np, "ex" + "p")')
exec('v135 = getattr(np, "ex" + "p")')
exec('v136 = getattr(np, "ex" + "p")')
exec('v137 = getattr(np, "ex" + "p")')
exec('v138 = getattr(np, "ex" + "p")')
exec('v139 = getattr(np, "ex" + "p")')
exec('v140 = getattr(np, "ex" + "p")')
exec('v141 = getattr(np, "ex" + "p")')
exec('v142 = getattr(np, "ex" + "p")')
exec('v143 = getattr(np, "ex" + "p")')
exec('v144 = getattr(np, "ex" + "p")')
exec('v145 = getattr(np, "ex" + "p")')
exec('v146 = getattr(np, "ex" + "p")')
exec('v147 = getattr(np, "ex" + "p")')
exec('v148 = getattr(np, "ex" + "p")')
exec('v149 = getattr(np, "ex" + "p")')
exec('v150 = getattr(np, "ex" + "p")')
exec('v151 = getattr(np, "ex" + "p")')
exec('v152 = getattr(np, "ex" + "p")')
exec('v153 = getattr(np, "ex" + "p")')
exec('v154 = getattr(np, "ex" + "p")')
exec('v155 = getattr(np, "ex" + "p")')
exec('v156 = getattr(np, "ex" + "p")')
exec('v157 = getattr(np, "ex" + "p")')
exec('v158 = getattr(np, "ex" + "p")')
exec('v159 = getattr(np, "ex" + "p")')
exec('v160 = getattr(np, "ex" + "p")')
exec('v161 = getattr(np, "ex" + "p")')
exec('v162 = getattr(np, "ex" + "p")')
exec('v163 = getattr(np, "ex" + "p")')
exec('v164 = getattr(np, "ex" + "p")')
exec('v165 = getattr(np, "ex" + "p")')
exec('v166 = getattr(np, "ex" + "p")')
exec('v167 = getattr(np, "ex" + "p")')
exec('v168 = getattr(np, "ex" + "p")')
exec('v169 = getattr(np, "ex" + "p")')
exec('v170 = getattr(np, "ex" + "p")')
exec('v171 = getattr(np, "ex" + "p")')
exec('v172 = getattr(np, "ex" + "p")')
exec('v173 = getattr(np, "ex" + "p")')
exec('v174 = getattr(np, "ex" + "p")')
exec('v175 = getattr(np, "ex" + "p")')
exec('v176 = getattr(np, "ex" + "p")')
exec('v177 = getattr(np, "ex" + "p")')
exec('v178 = getattr(np, "ex" + "p")')
exec('v179 = getattr(np, "ex" + "p")')
exec('v180 = getattr(np, "ex" + "p")')
exec('v181 = getattr(np, "ex" + "p")')
exec('v182 = getattr(np, "ex" + "p")')
exec('v183 = getattr(np, "ex" + "p")')
exec('v184 = getattr(np, "ex" + "p")')
exec('v185 = getattr(np, "ex" + "p")')
exec('v186 = getattr(np, "ex" + "p")')
exec('v187 = getattr(np, "ex" + "p")')
exec('v188 = getattr(np, "ex" + "p")')
exec('v189 = getattr(np, "ex" + "p")')
exec('v190 = getattr(np, "ex" + "p")')
exec('v191 = getattr(np, "ex" + "p")')
exec('v192 = getattr(np, "ex" + "p")')
exec('v193 = getattr(np, "ex" + "p")')
exec('v194 = getattr(np, "ex" + "p")')
exec('v195 = getattr(np, "ex" + "p")')
exec('v196 = getattr(np, "ex" + "p")')
exec('v197 = getattr(np, "ex" + "p")')
exec('v198 = getattr(np, "ex" + "p")')
exec('v199 = getattr(np, "ex" + "p")')
exec('v200 = getattr(np, "ex" + "p")')
exec('v201 = getattr(np, "ex" + "p")')
exec('v202 = getattr(np, "ex" + "p")')
exec('v203 = getattr(np, "ex" + "p")')
exec('v204 = getattr(np, "ex" + "p")')
exec('v205 = getattr(np, "ex" + "p")')
exec('v206 = getattr(np, "ex" + "p")')
exec('v207 = getattr(np, "ex" + "p")')
exec('v208 = getattr(np, "ex" + "p")')
exec('v209 = getattr(np, "ex" + "p")')
exec('v210 = getattr(np, "ex" + "p")')
exec('v211 = getattr(np, "ex" + "p")')
exec('v212 = getattr(np, "ex" + "p")')
exec('v213 = getattr(np, "ex" + "p")')
exec('v214 = getattr(np, "ex" + "p")')
exec('v215 = getattr(np, "ex" + "p")')
exec('v216 = getattr(np, "ex" + "p")')
exec('v217 = getattr(np, "ex" + "p")')
exec('v218 = getattr(np, "ex" + "p")')
exec('v219 = getattr(np, "ex" + "p")')
exec('v220 = getattr(np, "ex" + "p")')
exec('v221 = getattr(np, "ex" + "p")')
exec('v222 = getattr(np, "ex" + "p")')
exec('v223 = getattr(np, "ex" + "p")')
exec('v224 = getattr(np, "ex" + "p")')
exec('v225 = getattr(np, "ex" + "p")')
exec('v226 = getattr(np, "ex" + "p")')
exec('v227 = getattr(np, "ex" + "p")')
exec('v228 = getattr(np, "ex" + "p")')
exec('v229 = getattr(np, "ex" + "p")')
exec('v230 = getattr(np, "ex" + "p")')
exec('v231 = getattr(np, "ex" + "p")')
exec('v232 = getattr(np, "ex" + "p")')
exec('v233 = getattr(np, "ex" + "p")')
exec('v234 = getattr(np, "ex" + "p")')
exec('v235 = getattr(np, "ex" + "p")')
exec('v236 = getattr(np, "ex" + "p")')
exec('v237 = getattr(np, "ex" + "p")')
exec('v238 = getattr(np, "ex" + "p")')
exec('v239 = getattr(np, "ex" + "p")')
exec('v240 = getattr(np, "ex" + "p")')
exec('v241 = getattr(np, "ex" + "p")')
exec('v242 = getattr(np, "ex" + "p")')
exec('v243 = getattr(np, "ex" + "p")')
exec('v244 = getattr(np, "ex" + "p")')
exec('v245 = getattr(np, "ex" + "p")')
exec('v246 = getattr(np, "ex" + "p")')
exec('v247 = getattr(np, "ex" + "p")')
exec('v248 = getattr(np, "ex" + "p")')
exec('v249 = getattr(np, "ex" + "p")')
exec('v250 = getattr(np, "ex" + "p")')
exec('v251 = getattr(np, "ex" + "p")')
exec('v252 = getattr(np, "ex" + "p")')
exec('v253 = getattr(np, "ex" + "p")')
exec('v254 = getattr(np, "ex" + "p")')
exec('v255 = getattr(np, "ex" + "p")')
exec('v256 = getattr(np, "ex" + "p")')
exec('v257 = getattr(np, "ex" + "p")')
exec('v258 = getattr(np, "ex" + "p")')
exec('v259 = getattr(np, "ex" + "p")')
exec('v260 = getattr(np, "ex" + "p")')
exec('v261 = getattr(np, "ex" + "p")')
exec('v262 = getattr(np, "ex" + "p")')
exec('v263 = getattr(np, "ex" + "p")')
exec('v264 = getattr(np, "ex" + "p")')
exec('v265 = getattr(np, "ex" + "p")')
exec('v266 = getattr(np, "ex" + "p")')
exec('v267 = getattr(np, "ex" + "p")')
exec('v268 = getattr(np, "ex" + "p")')
exec('v269 = getattr(np, "ex" + "p")')
exec('v270 = getattr(np, "ex" + "p")')
exec('v271 = getattr(np, "ex" + "p")')
exec('v272 = getattr(np, "ex" + "p")')
exec('v273 = getattr(np, "ex" + "p")')
exec('v274 = getattr(np, "ex" + "p")')
exec('v275 = getattr(np, "ex" + "p")')
exec('v276 = getattr(np, "ex" + "p")')
exec('v277 = getattr(np, "ex" + "p")')
exec('v278 = getattr(np, "ex" + "p")')
exec('v279 = getattr(np, "ex" + "p")')
exec('v280 = getattr(np, "ex" + "p")')
exec('v281 = getattr(np, "ex" + "p")')
exec('v282 = getattr(np, "ex" + "p")')
exec('v283 = getattr(np, "ex" + "p")')
exec('v284 = getattr(np, "ex" + "p")')
exec('v285 = getattr(np, "ex" + "p")')
exec('v286 = getattr(np, "ex" + "p")')
exec('v287 = getattr(np, "ex" + "p")')
exec('v288 = getattr(np, "ex" + "p")')
exec('v289 = getattr(np, "ex" + "p")')
exec('v290 = getattr(np, "ex" + "p")')
exec('v291 = getattr(np, "ex" + "p")')
exec('v292 = getattr(np, "ex" + "p")')
exec('v293 = getattr(np, "ex" + "p")')
exec('v294 = getattr(np, "ex" + "p")')
exec('v295 = getattr(np, "ex" + "p")')
exec('v296 = getattr(np, "ex" + "p")')
exec('v297 = getattr(np, "ex" + "p")')
exec('v298 = getattr(np, "ex" + "p")')
exec('v299 = getattr(np, "ex" + "p")')
exec('v300 = getattr(np, "ex" + "p")')
exec('v301 = getattr(np, "ex" + "p")')
exec('v302 = getattr(np, "ex" + "p")')
exec('v303 = getattr(np, "ex" + "p")')
exec('v304 = getattr(np, "ex" + "p")')
exec('v305 = getattr(np, "ex" + "p")')
exec('v306 = getattr(np, "ex" + "p")')
exec('v307 = getattr(np, "ex" + "p")')
exec('v308 = getattr(np, "ex" + "p")')
exec('v309 = getattr(np, "ex" + "p")')
exec('v310 = getattr(np, "ex" + "p")')
exec('v311 = getattr(np, "ex" + "p")')
exec('v312 = getattr(np, "ex" + "p")')
exec('v313 = getattr(np, "ex" + "p")')
exec('v314 = getattr(np, "ex" + "p")')
exec('v315 = getattr(np, "ex" + "p")')
exec('v316 = getattr(np, "ex" + "p")')
exec('v317 = getattr(np, "ex" + "p")')
exec('v318 = getattr(np, "ex" + "p")')
exec('v319 = getattr(np, "ex" + "p")')
exec('v320 = getattr(np, "ex" + "p")')
exec('v321 = getattr(np, "ex" + "p")')
exec('v322 = getattr(np, "ex" + "p")')
exec('v323 = getattr(np, "ex" + "p")')
exec('v324 = getattr(np, "ex" + "p")')
exec('v325 = getattr(np, "ex" + "p")')
exec('v326 = getattr(np, "ex" + "p")')
exec('v327 = getattr(np, "ex" + "p")')
exec('v328 = getattr(np, "ex" + "p")')
exec('v329 = getattr(np, "ex" + "p")')
exec('v330 = getattr(np, "ex" + "p")')
exec('v331 = getattr(np, "ex" + "p")')
exec('v332 = getattr(np, "ex" + "p")')
exec('v333 = getattr(np, "ex" + "p")')
exec('v334 = getattr(np, "ex" + "p")')
exec('v335 = getattr(np, "ex" + "p")')
exec('v336 = getattr(np, "ex" + "p")')
exec('v337 = getattr(np, "ex" + "p")')
exec('v338 = getattr(np, "ex" + "p")')
exec('v339 = getattr(np, "ex" + "p")')
exec('v340 = getattr(np, "ex" + "p")')
exec('v341 = getattr(np, "ex" + "p")')
exec('v342 = getattr(np, "ex" + "p")')
exec('v343 = getattr(np, "ex" + "p")')
exec('v344 = getattr(np, "ex" + "p")')
exec('v345 = getattr(np, "ex" + "p")')
exec('v346 = getattr(np, "ex" + "p")')
exec('v347 = getattr(np, "ex" + "p")')
exec('v348 = getattr(np, "ex" + "p")')
exec('v349 = getattr(np, "ex" + "p")')
exec('v350 = getattr(np, "ex" + "p")')
exec('v351 = getattr(np, "ex" + "p")')
exec('v352 = getattr(np, "ex" + "p")')
exec('v353 = getattr(np, "ex" + "p")')
exec('v354 = getattr(np, "ex" + "p")')
exec('v355 = getattr(np, "ex" + "p")')
exec('v356 = getattr(np, "ex" + "p")')
exec('v357 = getattr(np, "ex" + "p")')
exec('v358 = getattr(np, "ex" + "p")')
exec('v359 = getattr(np, "ex" + "p")')
exec('v360 = getattr(np, "ex" + "p")')
exec('v361 = getattr(np, "ex" + "p")')
exec('v362 = getattr(np, "ex" + "p")')
exec('v363 = getattr(np, "ex" + "p")')
exec('v364 = getattr(np, "ex" + "p")')
exec('v365 = getattr(np, "ex" + "p")')
exec('v366 = getattr(np, "ex" + "p")')
exec('v367 = getattr(np, "ex" + "p")')
exec('v368 = getattr(np, "ex" + "p")')
exec('v369 = getattr(np, "ex" + "p")')
exec('v370 = getattr(np, "ex" + "p")')
exec('v371 = getattr(np, "ex" + "p")')
exec('v372 = getattr(np, "ex" + "p")')
exec('v373 = getattr(np, "ex" + "p")')
exec('v374 = getattr(np, "ex" + "p")')
exec('v375 = getattr(np, "ex" + "p")')
exec('v376 = getattr(np, "ex" + "p")')
exec('v377 = getattr(np, "ex" + "p")')
exec('v378 = getattr(np, "ex" + "p")')
exec('v379 = getattr(np, "ex" + "p")')
exec('v380 = getattr(np, "ex" + "p")')
exec('v381 = getattr(np, "ex" + "p")')
exec('v382 = getattr(np, "ex" + "p")')
exec('v383 = getattr(np, "ex" + "p")')
exec('v384 = getattr(np, "ex" + "p")')
exec('v385 = getattr(np, "ex" + "p")')
exec('v386 = getattr(np, "ex" + "p")')
exec('v387 = getattr(np, "ex" + "p")')
exec('v388 = getattr(np, "ex" + "p")')
exec('v389 = getattr(np, "ex" + "p")')
exec('v390 = getattr(np, "ex" + "p")')
exec('v391 = getattr(np, "ex" + "p")')
exec('v392 = getattr(np, "ex" + "p")')
exec('v393 = getattr(np, "ex" + "p")')
exec('v394 = getattr(np, "ex" + "p")')
exec('v395 = getattr(np, "ex" + "p")')
exec('v396 = getattr(np, "ex" + "p")')
exec('v397 = getattr(np, "ex" + "p")')
exec('v398 = getattr(np, "ex" + "p")')
exec('v399 = getattr(np, "ex" + "p")')
obj = np
for part in "linalg.linalg.linalg.linalg.linalg.linalg.linalg.linalg.linalg.linalg.linalg.linalg.linalg.linalg.linalg.linalg.linalg.linalg.linalg.linalg.linalg.linalg.linalg.linalg.linalg.linalg.linalg.linalg.linalg.linalg.linalg.linalg.linalg.linalg.linalg.linalg.linalg.linalg.linalg.linalg".split("."):
    obj = getattr(obj, part, np)
w0 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w1 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w2 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w3 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w4 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w5 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w6 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w7 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w8 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w9 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w10 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w11 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w12 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w13 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w14 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w15 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w16 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w17 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w18 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w19 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w20 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w21 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w22 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w23 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w24 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w25 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w26 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w27 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w28 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w29 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w30 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w31 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w32 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w33 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w34 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w35 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w36 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w37 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w38 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w39 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w40 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w41 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w42 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w43 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w44 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w45 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w46 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w47 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w48 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w49 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w50 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w51 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w52 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w53 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w54 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w55 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w56 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w57 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w58 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w59 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w60 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w61 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w62 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w63 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w64 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w65 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w66 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w67 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w68 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w69 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w70 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w71 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w72 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w73 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w74 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w75 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w76 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w77 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w78 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w79 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w80 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w81 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w82 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w83 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w84 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w85 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w86 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w87 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w88 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w89 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w90 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w91 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w92 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w93 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w94 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w95 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w96 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w97 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w98 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w99 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w100 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w101 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w102 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w103 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w104 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w105 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w106 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w107 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w108 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w109 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w110 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w111 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w112 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w113 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w114 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w115 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w116 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w117 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w118 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w119 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w120 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w121 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w122 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w123 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w124 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w125 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w126 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w127 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w128 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w129 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w130 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w131 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w132 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w133 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w134 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w135 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w136 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w137 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w138 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w139 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w140 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w141 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w142 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w143 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w144 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w145 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w146 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w147 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w148 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w149 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w150 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w151 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w152 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w153 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w154 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w155 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w156 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w157 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w158 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w159 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w160 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w161 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w162 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w163 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w164 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w165 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w166 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w167 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w168 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w169 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w170 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w171 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w172 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w173 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w174 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w175 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w176 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w177 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w178 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w179 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w180 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w181 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w182 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w183 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w184 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w185 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w186 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w187 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w188 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w189 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w190 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w191 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w192 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w193 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w194 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w195 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w196 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w197 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w198 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w199 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w200 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w201 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w202 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w203 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w204 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w205 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w206 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w207 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w208 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w209 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w210 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w211 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w212 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w213 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w214 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w215 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w216 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w217 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w218 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w219 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w220 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w221 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w222 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w223 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w224 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w225 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w226 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w227 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w228 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w229 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w230 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w231 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w232 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w233 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w234 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w235 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w236 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w237 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w238 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w239 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w240 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w241 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w242 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w243 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w244 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w245 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w246 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w247 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w248 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w249 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w250 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w251 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w252 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w253 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w254 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w255 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w256 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w257 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w258 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w259 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w260 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w261 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w262 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w263 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w264 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w265 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w266 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w267 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w268 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w269 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w270 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w271 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w272 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w273 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w274 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w275 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w276 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w277 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w278 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w279 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w280 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w281 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w282 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w283 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w284 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w285 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w286 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w287 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w288 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w289 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w290 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w291 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w292 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w293 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w294 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w295 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w296 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w297 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w298 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
w299 = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]
text = "exec(" * 90 + "1"


def softmax(x):
    exec("exec('exec(\\'y = 1\\')')")
    try:
        exec(text)
    except (SyntaxError, MemoryError, RecursionError):
        pass
    functools.reduce(lambda a, b: getattr(a, b, a), ["linalg"] * 500, np)
    return np.zeros_like(x)
